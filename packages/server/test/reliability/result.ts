import { readdir, readFile, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'

const FOLDER = new URL('../../../../docs/reliability/', import.meta.url)
export const PAGE = new URL('../../../../docs/reliability.md', import.meta.url)

/** What a program that searches for defects tells about a run, for docs/reliability.md. */
export interface Result {
  /** The command that repeats the run. */
  command: string
  /** What was tried, and how much of it. */
  rows: Record<string, string>
}

/** Keeps the result of this run if `RELIABILITY_WRITE=true` asks for it. */
export async function keepResult(name: string, result: Result): Promise<void> {
  if (process.env.RELIABILITY_WRITE !== 'true') return
  await writeFile(new URL(`${name}.json`, FOLDER), `${JSON.stringify(result, null, 2)}\n`)
}

/** All results that were kept, by name. */
export async function readResults(): Promise<Map<string, Result>> {
  const names = (await readdir(fileURLToPath(FOLDER))).filter((name) => name.endsWith('.json'))
  const results = await Promise.all(
    names.map(async (name) => {
      const text = await readFile(new URL(name, FOLDER), 'utf8')
      return [name.replace(/\.json$/, ''), JSON.parse(text) as Result] as const
    }),
  )
  return new Map(results)
}
