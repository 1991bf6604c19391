import { basename, dirname } from 'node:path'
import {
  answeredStatus,
  descriptorPath,
  isSync,
  isWrite,
  namedPaths,
  type SystemCall,
} from './trace.ts'

export interface Findings {
  /** The statuses of all answers, in order. */
  statuses: number[]
  /** How often each rule was applied: none may be idle. */
  checked: { files: number; renames: number; folders: number; commits: number }
  problems: string[]
}

/** The answers, by index, that promise that the database holds something new. */
export type Commits = ReadonlySet<number>

/**
 * What was answered about the data folder survives a power cut only if it was synced before. So before each answer:
 * - a file is synced after its last write, and before it is renamed to its place;
 * - the folders of a rename are synced after it;
 * - the folder that holds a new folder is synced, once the new one is used;
 * - the database's log is synced after its last write.
 */
export function checkDurability(
  trace: SystemCall[],
  { folder: root, commits }: { folder: string; commits: Commits },
): Findings {
  const answers = trace.filter((call) => answeredStatus(call) !== undefined)
  // Node keeps compiled code elsewhere, which may get lost.
  const calls = trace.filter((call) =>
    [descriptorPath(call), ...namedPaths(call)].some((path) => path.startsWith(root)),
  )
  const syncs = calls.filter(isSync)
  const writes = calls.filter(isWrite)
  const renames = calls.filter(({ name }) => name.startsWith('rename'))
  const problems: string[] = []
  const checked = { files: 0, renames: 0, folders: 0, commits: 0 }

  const nextAnswer = (at: number) => answers.find(({ start }) => start > at)
  const isSynced = (path: string, after: number, before: number) =>
    syncs.some((sync) => descriptorPath(sync) === path && sync.start > after && sync.end < before)

  for (const rename of renames) {
    const answer = nextAnswer(rename.end)
    const [from = '', to = ''] = namedPaths(rename)
    if (answer === undefined) continue
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
      if (isSynced(folder, rename.end, answer.start)) continue
      problems.push(`${folder} was not synced between the rename to ${to} and the answer`)
    }
  }

  for (const made of calls.filter(({ name }) => name.startsWith('mkdir'))) {
    const [folder = ''] = namedPaths(made)
    const use = renames.find((rename) =>
      namedPaths(rename).some((path) => dirname(path) === folder),
    )
    const answer = use && nextAnswer(use.end)
    if (answer === undefined) continue
    checked.folders += 1
    if (isSynced(dirname(folder), made.end, answer.start)) continue
    problems.push(`${dirname(folder)} was not synced between making ${folder} and the answer`)
  }

  for (const [index, answer] of answers.entries()) {
    if (!commits.has(index)) continue
    const since = answers[index - 1]?.end ?? 0
    const log = writes.filter(
      (write) =>
        basename(descriptorPath(write)).endsWith('.db-wal') &&
        write.start > since &&
        write.end < answer.start,
    )
    const last = log.at(-1)
    checked.commits += 1
    if (last === undefined) problems.push(`nothing was written to the log before answer ${index}`)
    else if (!isSynced(descriptorPath(last), last.end, answer.start)) {
      problems.push(`the database's log was not synced before answer ${index}`)
    }
  }

  const statuses = answers.map((answer) => answeredStatus(answer) ?? 0)
  return { statuses, checked, problems }
}
