import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { aFolder } from './dashboard.ts'

/** The path of a new file. Playwright would send the content of a buffer to the page, which is slow for large ones. */
export async function aFile(t: TestContext, name: string, size: number): Promise<string> {
  const path = join(await aFolder(t), name)
  await writeFile(path, Buffer.alloc(size, name))
  return path
}
