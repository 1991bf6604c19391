import { basename, dirname } from 'node:path'
import {
  descriptorPath,
  isSync,
  isWrite,
  namedPaths,
  responseStatus,
  type SystemCall,
} from './trace.ts'

export interface DurabilityReport {
  /** The statuses of all responses, in order. */
  statuses: number[]
  /** How many times each rule was applied. A rule that was never applied proves nothing. */
  checked: { files: number; renames: number; folders: number; commits: number }
  problems: string[]
}

/** The indexes of the responses that promise a change in the database. */
export type Commits = ReadonlySet<number>

/**
 * Data in the data folder survives a power cut only if it was synced. So before each response:
 * - a file is synced after its last write, and before it is renamed to its final path;
 * - both folders of a rename are synced after it;
 * - the parent of a new folder is synced if a file was renamed into or out of the new folder;
 * - the database's log is synced after its last write.
 */
export function checkDurability(
  trace: SystemCall[],
  { folder: root, commits }: { folder: string; commits: Commits },
): DurabilityReport {
  const responses = trace.filter((call) => responseStatus(call) !== undefined)
  // Ignores other files, such as Node's compile cache, which need not survive.
  const calls = trace.filter((call) =>
    [descriptorPath(call), ...namedPaths(call)].some((path) => path.startsWith(root)),
  )
  const syncs = calls.filter(isSync)
  const writes = calls.filter(isWrite)
  const renames = calls.filter(({ name }) => name.startsWith('rename'))
  const problems: string[] = []
  const checked = { files: 0, renames: 0, folders: 0, commits: 0 }

  const nextResponse = (at: number) => responses.find(({ start }) => start > at)
  const isSynced = (path: string, after: number, before: number) =>
    syncs.some((sync) => descriptorPath(sync) === path && sync.start > after && sync.end < before)

  for (const rename of renames) {
    const response = nextResponse(rename.end)
    const [from = '', to = ''] = namedPaths(rename)
    if (response === undefined) continue
    const fileWrites = writes.filter((write) => descriptorPath(write) === from)
    const lastWrite = fileWrites.at(-1)
    if (lastWrite !== undefined) {
      checked.files += 1
      if (!isSynced(from, lastWrite.end, rename.start)) {
        problems.push(`${from} was renamed without a sync after its last write`)
      }
    }
    checked.renames += 1
    for (const folder of new Set([dirname(from), dirname(to)])) {
      if (isSynced(folder, rename.end, response.start)) continue
      problems.push(`${folder} was not synced between the rename to ${to} and the response`)
    }
  }

  for (const made of calls.filter(({ name }) => name.startsWith('mkdir'))) {
    const [folder = ''] = namedPaths(made)
    const use = renames.find((rename) =>
      namedPaths(rename).some((path) => dirname(path) === folder),
    )
    const response = use && nextResponse(use.end)
    if (response === undefined) continue
    checked.folders += 1
    if (isSynced(dirname(folder), made.end, response.start)) continue
    problems.push(`${dirname(folder)} was not synced between creating ${folder} and the response`)
  }

  for (const [index, response] of responses.entries()) {
    if (!commits.has(index)) continue
    const since = responses[index - 1]?.end ?? 0
    const log = writes.filter(
      (write) =>
        basename(descriptorPath(write)).endsWith('.db-wal') &&
        write.start > since &&
        write.end < response.start,
    )
    const last = log.at(-1)
    checked.commits += 1
    if (last === undefined) problems.push(`nothing was written to the log before response ${index}`)
    else if (!isSynced(descriptorPath(last), last.end, response.start)) {
      problems.push(`the database's log was not synced before response ${index}`)
    }
  }

  const statuses = responses.map((response) => responseStatus(response) ?? 0)
  return { statuses, checked, problems }
}
