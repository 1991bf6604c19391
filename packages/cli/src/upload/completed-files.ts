import { createHash } from 'node:crypto'
import { readdir, rm, stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { readStateFile, stateFolder, writePrivateFile } from '@stowage/client/internal/files'
import type { LocalFile } from './files.ts'

interface Completed {
  id: string
  size: number
  changedMs: number
  finishedAt: string
}

/**
 * Records which files were uploaded, so that the next run of the same command sends only the others. A record is
 * identified by the URL of the service, the path and the name. Each record is a separate file, so that parallel
 * commands do not conflict. An error here never fails an upload.
 */
export interface CompletedFiles {
  /** The ID of the asset. Undefined if the file was not uploaded, or has another size or time now. */
  find(file: LocalFile): Promise<string | undefined>
  add(file: LocalFile, id: string): Promise<void>
  /** Removes the records, so that the next command uploads the files again. */
  forget(files: LocalFile[]): Promise<void>
  /** Removes the oldest records if there are too many. */
  prune(): Promise<void>
  /** Returns why no records can be written to the folder. Undefined if they can. */
  findProblem(): Promise<string | undefined>
}

const MAX_RECORDS = 100_000

export function openCompletedFiles(
  url: string,
  folder = stateFolder('finished'),
  maxRecords = MAX_RECORDS,
): CompletedFiles {
  const recordOf = ({ path, name }: LocalFile) => {
    const key = `${url} ${name} ${resolve(path)}`
    return join(folder, `${createHash('sha256').update(key).digest('hex').slice(0, 32)}.json`)
  }

  return {
    async find(file) {
      try {
        const text = readStateFile(recordOf(file))
        if (text === undefined) return undefined
        const completed: Completed = JSON.parse(text)
        const isSame = completed.size === file.size && completed.changedMs === file.changedMs
        if (!isSame) await rm(recordOf(file), { force: true })
        return isSame ? completed.id : undefined
      } catch {
        return undefined
      }
    },
    async add(file, id) {
      const { size, changedMs } = file
      const completed: Completed = { id, size, changedMs, finishedAt: new Date().toISOString() }
      await writePrivateFile(recordOf(file), JSON.stringify(completed)).catch(() => {})
    },
    async forget(files) {
      for (const file of files) await rm(recordOf(file), { force: true }).catch(() => {})
    },
    async prune() {
      const names = await readdir(folder).catch(() => [])
      if (names.length <= maxRecords) return
      const records: { path: string; mtimeMs: number }[] = []
      for (const name of names) {
        const path = join(folder, name)
        const stats = await stat(path).catch(() => undefined)
        if (stats !== undefined) records.push({ path, mtimeMs: stats.mtimeMs })
      }
      records.sort((one, other) => one.mtimeMs - other.mtimeMs)
      // Removes a tenth more than necessary, so that this does not run after every upload.
      for (const { path } of records.slice(0, records.length - Math.floor(maxRecords * 0.9))) {
        await rm(path, { force: true }).catch(() => {})
      }
    },
    async findProblem() {
      const trial = join(folder, `trial.${process.pid}`)
      try {
        await writePrivateFile(trial, 'Tests whether this folder is writable.')
        await rm(trial)
        return undefined
      } catch (error) {
        return `Cannot write to ${folder} (${(error as NodeJS.ErrnoException).code})`
      }
    },
  }
}
