import { join } from 'node:path'
import { DamagedObject } from '../domain/errors.ts'
import { partPlan } from '../domain/parts.ts'
import { settleAll } from '../iterables/concurrency.ts'
import { inBatches } from '../iterables/sequences.ts'
import { hashObject } from '../storage/hash-object.ts'
import type { ObjectPool } from '../storage/object-pool.ts'
import { type BackupProgress, MAX_NAMED, type ObjectLine } from './backup.ts'
import {
  type BackupFolder,
  hashFile,
  listGenerations,
  readAllObjectLines,
  readManifest,
} from './generations.ts'

const BATCH = 4

export interface CheckSummary {
  generations: { name: string; created_at: string; files: number; bytes: number; damaged: number }[]
  /** The objects that were read, of all generations. */
  files: number
  bytes: number
  /** Objects that are only in the storage of the service, and were not read. */
  listed: number
  problems: string[]
  problemsTotal: number
}

/** Reads everything and compares it with its digests. */
export async function checkBackup(
  { folder, pool }: { folder: BackupFolder; pool: ObjectPool },
  onProgress: (progress: BackupProgress) => void,
): Promise<CheckSummary> {
  const summary: CheckSummary = {
    generations: [],
    files: 0,
    bytes: 0,
    listed: 0,
    problems: [],
    problemsTotal: 0,
  }
  const report = (problem: string) => {
    summary.problemsTotal += 1
    if (summary.problems.length < MAX_NAMED) summary.problems.push(problem)
  }
  const stored: string[] = []
  for (const name of await listGenerations(folder)) {
    const manifest = await readManifest(folder, name).catch((error: Error) =>
      report(`${name}: ${error.message}`),
    )
    if (manifest === undefined) continue
    const { created_at, files, bytes, damaged, objects } = manifest
    summary.generations.push({ name, created_at, files, bytes, damaged })
    let isReadable = true
    for (const [file, sha256] of Object.entries(manifest.sha256)) {
      const path = join(folder.generations, name, file)
      const actual = await hashFile(path).catch((error: Error) => error.message)
      if (actual === sha256) continue
      report(`${path} is damaged or missing`)
      isReadable = false
    }
    if (objects === 'listed') summary.listed += files
    else if (isReadable) stored.push(name)
  }
  if (summary.generations.length === 0) report('there is no complete backup in this folder')
  for await (const batch of inBatches(readAllObjectLines(folder, stored), BATCH)) {
    await settleAll(batch.map((line) => checkObject(line)))
  }
  return summary

  async function checkObject({
    key,
    bytes,
    chunk_size,
    sha256,
    damaged,
  }: ObjectLine): Promise<void> {
    if (damaged !== undefined) return
    try {
      const hashes = await hashObject(pool.contents, { key, plan: partPlan(bytes, chunk_size) })
      if (hashes.sha256 !== sha256) report(`the object ${key} has changed`)
      else summary.files += 1
      summary.bytes += bytes
      onProgress({ phase: 'files', files: summary.files, bytes: summary.bytes, totalBytes: 0 })
    } catch (error) {
      if (!(error instanceof DamagedObject)) throw error
      report(error.message)
    }
  }
}
