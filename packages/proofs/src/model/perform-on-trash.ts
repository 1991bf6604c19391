import type { Asset } from '@stowage/protocol'
import type { TestAccount } from '@stowage/testing/service/accounts'
import { API } from '@stowage/testing/service/upload'
import type { Command } from './commands.ts'
import type { Observation } from './observation.ts'

type TrashCommand = Extract<
  Command,
  { kind: 'bulkDelete' | 'bulkRestore' | 'deleteAll' | 'emptyTrash' | 'trash' }
>

/** Makes a call about the trash or about several assets. */
export async function performOnTrash(
  call: TestAccount['call'],
  command: TrashCommand,
  sessions: { id: string }[],
): Promise<Observation> {
  if (command.kind === 'trash') {
    const { status, body } = await call('GET', `${API}/assets?trashed=true&limit=1000`)
    return { status, listed: (body.data ?? []).map(({ id }: Asset) => id) }
  }
  if (command.kind === 'deleteAll' || command.kind === 'emptyTrash') {
    const { status } =
      command.kind === 'deleteAll'
        ? await call('POST', `${API}/assets/deleted-all`)
        : await call('DELETE', `${API}/trash`)
    return { status }
  }
  const chosen = command.uploads.flatMap((index) => sessions[index % sessions.length]?.id ?? [])
  const ids = [...new Set(chosen)]
  const change =
    command.kind === 'bulkDelete'
      ? { action: 'delete', permanent: command.isPermanent }
      : { action: 'restore' }
  const { status } = await call('POST', `${API}/assets/bulk`, { ...change, ids })
  return { status, ids }
}
