import { cp, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { aFolder } from '../machine/clean-up.ts'

/** Copies the folder of the migrations, and adds those of a newer version. */
export async function withNewerMigrations(
  t: TestContext,
  migrations: string,
  newer: Record<string, string>,
): Promise<string> {
  const folder = await aFolder(t)
  await cp(migrations, folder, { recursive: true })
  for (const [name, sql] of Object.entries(newer)) await writeFile(join(folder, name), sql)
  return folder
}
