import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { SourceFile } from 'typescript/unstable/ast'
import { API } from 'typescript/unstable/sync'
import { ROOT } from '../manifest.ts'

export interface Sources {
  /** Returns the syntax tree of an entry, or of a file that an entry imports. */
  get(path: string): SourceFile
  close(): Promise<void>
}

/** Parses the entries and all files that they import, with the compiler of the repository. */
export async function openSources(entries: string[]): Promise<Sources> {
  const folder = await mkdtemp(join(tmpdir(), 'stowage-client-api-'))
  const config = join(folder, 'tsconfig.json')
  await writeFile(
    config,
    JSON.stringify({ extends: join(ROOT, 'tsconfig.json'), include: [], files: entries }),
  )
  const api = new API({ cwd: ROOT })
  const program = api.updateSnapshot({ openProjects: [config] }).getProject(config)?.program
  return {
    get(path) {
      const file = program?.getSourceFile(path)
      if (file === undefined) throw new Error(`the compiler did not load ${path}`)
      return file
    },
    async close() {
      api.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
