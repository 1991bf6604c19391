import type { NodeClient } from '@stowage/client/node'
import { formatSize } from '@stowage/protocol/format'
import { sanitize } from '../text/sanitize.ts'
import { CommandFailed } from '../usage.ts'
import type { LocalFile } from './collect-files.ts'
import type { CompletedFiles } from './completed-files.ts'

/**
 * Throws `CommandFailed` if the plan has too little storage for the files. Files that an earlier run
 * uploaded, or reserved storage for, are not counted again; `completed` is undefined if all files
 * are uploaded again (`--again`).
 */
export async function checkStorage(
  client: NodeClient,
  files: LocalFile[],
  { completed, signal }: { completed: CompletedFiles | undefined; signal: AbortSignal },
): Promise<void> {
  const [{ available, plan }, unfinished] = await Promise.all([
    client.account({ signal }),
    client.unfinished(),
  ])
  const total = files.reduce((sum, { size }) => sum + size, 0)
  if (total <= available) return
  let needed = 0
  for (const file of files) {
    const reserved = unfinished.findIndex(
      ({ name, size }) => name === file.name && size === file.size,
    )
    if (reserved !== -1) unfinished.splice(reserved, 1)
    else if ((await completed?.find(file)) === undefined) needed += file.size
  }
  if (needed <= available) return
  const [subject, verb] =
    files.length === 1
      ? [sanitize(files[0]?.name ?? ''), 'needs']
      : [`${files.length} files`, 'need']
  const free = `${formatSize(available)} of ${formatSize(plan.storage)}`
  throw new CommandFailed(
    `Nothing was sent: ${subject} ${verb} ${formatSize(needed)}, but only ${free} is free (plan “${sanitize(plan.name)}”). Delete assets (stowage ls --sort largest lists the largest), or get a larger plan.`,
  )
}
