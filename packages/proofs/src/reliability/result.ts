import { readdir, readFile, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'

const FOLDER = new URL('../../../../docs/reliability/', import.meta.url)
export const PAGE = new URL('../../../../docs/reliability.md', import.meta.url)

/** The result of a run of a test program, for docs/reliability.md. */
export interface Result {
  /** The command that repeats the run. */
  command: string
  /** The metrics and their values. */
  rows: Record<string, string>
}

/** Saves the result of this run in docs/reliability/, if `RELIABILITY_WRITE` is `true`. */
export async function saveResult(name: string, result: Result): Promise<void> {
  if (process.env.RELIABILITY_WRITE !== 'true') return
  await writeFile(new URL(`${name}.json`, FOLDER), `${JSON.stringify(result, null, 2)}\n`)
}

/** All saved results, by name. */
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
