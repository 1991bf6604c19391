import { basename, dirname } from 'node:path'

interface DurabilityReport {
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

/** A system call of the service, as `strace -f -y` logs it. */
interface SystemCall {
  name: string
  text: string
  /** The lines of the log at which it began and ended. Calls of other threads may be in between. */
  start: number
  end: number
}

/** Reads the log without the calls that failed. */
export function readTrace(log: string): SystemCall[] {
  const calls: SystemCall[] = []
  const unfinished = new Map<string, SystemCall>()
  for (const [index, line] of log.split('\n').entries()) {
    const [, thread = '', rest = ''] = /^(\d+) +(.*)$/.exec(line) ?? []
    const begun = /^(\w+)\((.*) <unfinished \.\.\.>$/.exec(rest)
    const resumed = /^<\.\.\. \w+ resumed>(.*)$/.exec(rest)
    const whole = /^(\w+)\((.*)$/.exec(rest)
    if (begun) {
      const [, name = '', text = ''] = begun
      unfinished.set(thread, { name, text, start: index, end: index })
    } else if (resumed) {
      const call = unfinished.get(thread)
      unfinished.delete(thread)
      if (call) add({ ...call, text: call.text + (resumed[1] ?? ''), end: index })
    } else if (whole) {
      const [, name = '', text = ''] = whole
      add({ name, text, start: index, end: index })
    }
  }
  return calls.sort((a, b) => a.end - b.end)

  function add(call: SystemCall): void {
    if (!/= -1 /.test(call.text)) calls.push(call)
  }
}

/** The file or folder of the call's descriptor. */
function descriptorPath({ text }: SystemCall): string {
  return /^\d+<([^>]*)>/.exec(text)?.[1] ?? ''
}

/** The paths that the call names. */
function namedPaths({ text }: SystemCall): string[] {
  return Array.from(text.matchAll(/"([^"]*)"/g), ([, path = '']) => path)
}

function isSync({ name }: SystemCall): boolean {
  return name === 'fsync' || name === 'fdatasync'
}

function isWrite({ name }: SystemCall): boolean {
  return /^p?write(v|64|v2)?$/.test(name)
}

/** The status that the call sends to a client, if it sends the beginning of a response. */
function responseStatus(call: SystemCall): number | undefined {
  if (!isWrite(call) && !/^send(to|msg)$/.test(call.name)) return undefined
  if (!descriptorPath(call).startsWith('socket:')) return undefined
  const status = /"HTTP\/1\.1 (\d{3}) /.exec(call.text)?.[1]
  return status === undefined ? undefined : Number(status)
}
