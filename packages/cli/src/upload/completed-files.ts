import { createHash } from 'node:crypto'
import { readFile, rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { stateFolder, writePrivateFile } from '@stowage/client/internal/files'
import type { LocalFile } from './collect-files.ts'

interface Finished {
  id: string
  size: number
  changedMs: number
  finishedAt: string
}

/**
 * Which files of a run have arrived, until all of them have: so the same command, given again,
 * sends only the rest. One small file each, so that several runs at once are in nobody's way. What
 * fails here never fails an upload.
 */
export interface CompletedFiles {
  /** The asset's id; undefined when it did not arrive, or has changed since, or that was long ago. */
  find(file: LocalFile): Promise<string | undefined>
  add(file: LocalFile, id: string): Promise<void>
  /** The run is over: next time they are meant anew. */
  forget(files: LocalFile[]): Promise<void>
  /** Why nothing can be kept here, neither of what arrived nor of what did not; undefined: it can. */
  findObstacle(): Promise<string | undefined>
}

const KEPT_MS = 7 * 24 * 3_600_000

export function openCompletedFiles(url: string, folder = stateFolder('finished')): CompletedFiles {
  const fileOf = ({ path, name }: LocalFile) => {
    const key = `${url} ${name} ${resolve(path)}`
    return join(folder, `${createHash('sha256').update(key).digest('hex').slice(0, 32)}.json`)
  }

  return {
    async find(file) {
      try {
        const finished: Finished = JSON.parse(await readFile(fileOf(file), 'utf8'))
        const isSame = finished.size === file.size && finished.changedMs === file.changedMs
        const isRecent = Date.now() - Date.parse(finished.finishedAt) < KEPT_MS
        if (!isSame || !isRecent) await rm(fileOf(file), { force: true })
        return isSame && isRecent ? finished.id : undefined
      } catch {
        return undefined
      }
    },
    async add(file, id) {
      const { size, changedMs } = file
      const finished: Finished = { id, size, changedMs, finishedAt: new Date().toISOString() }
      await writePrivateFile(fileOf(file), JSON.stringify(finished)).catch(() => {})
    },
    async forget(files) {
      for (const file of files) await rm(fileOf(file), { force: true }).catch(() => {})
    },
    async findObstacle() {
      const trial = join(folder, `trial.${process.pid}`)
      try {
        await writePrivateFile(trial, 'Can it be written to?')
        await rm(trial)
        return undefined
      } catch (error) {
        return `${folder} can’t be written to (${(error as NodeJS.ErrnoException).code})`
      }
    },
  }
}
