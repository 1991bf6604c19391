import type { NodeClient } from '@stowage/client/node'
import { formatSize } from '@stowage/protocol/format'
import { sanitize } from '../text/sanitize.ts'
import { CommandFailed } from '../usage.ts'
import type { LocalFile } from './collect-files.ts'
import type { CompletedFiles } from './completed-files.ts'

/**
 * Refuses files that the plan has no room for, before anything is sent. What an earlier run has
 * brought there, or has reserved, needs no room any more.
 */
export async function checkStorage(
  client: NodeClient,
  files: LocalFile[],
  { finished, signal }: { finished: CompletedFiles; signal: AbortSignal },
): Promise<void> {
  const [{ available, plan }, unfinished] = await Promise.all([
    client.account({ signal }),
    client.unfinished(),
  ])
  const total = files.reduce((sum, { size }) => sum + size, 0)
  if (total <= available) return
  let needed = 0
  for (const file of files) {
    const before = unfinished.findIndex(
      ({ name, size }) => name === file.name && size === file.size,
    )
    if (before !== -1) unfinished.splice(before, 1)
    else if ((await finished.find(file)) === undefined) needed += file.size
  }
  if (needed <= available) return
  const what = files.length === 1 ? sanitize(files[0]?.name ?? '') : `${files.length} files`
  throw new CommandFailed(
    `nothing was sent: ${what} need ${formatSize(needed)}, and ${formatSize(available)} of the plan ${sanitize(plan.name)} (${formatSize(plan.storage)}) are free. Delete something (stowage ls --sort largest), or have the plan raised`,
  )
}
