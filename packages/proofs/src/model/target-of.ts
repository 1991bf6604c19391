import type { Command } from './commands.ts'
import type { Model } from './model.ts'
import type { Observation } from './observation.ts'

/** Calls about an upload. The others are about its asset. */
const ABOUT_UPLOADS: Command['kind'][] = [
  'put',
  'putAll',
  'complete',
  'cancel',
  'resume',
  'resize',
  'expire',
]

/** The IDs in the observation of a call whose response is unknown. By default, those of the first upload. */
export function targetOf(
  model: Model,
  command: Command,
): Pick<Observation, 'id' | 'ids' | 'asset'> {
  if ('uploads' in command) {
    const uploads = command.uploads.flatMap((index) => model.uploads[index] ?? [])
    const ids = uploads.map(({ id, replaces }) => replaces ?? id)
    return { id: ids[0] ?? '', ids }
  }
  const upload = model.uploads['upload' in command ? command.upload : 0] ?? model.uploads[0]
  const asset = upload?.replaces
  // The upload of a replacement that got no response is unknown.
  if (command.kind === 'replace') return { asset: asset ?? upload?.id ?? '' }
  if (asset === undefined) return { id: upload?.id ?? '' }
  return ABOUT_UPLOADS.includes(command.kind) ? { id: upload?.id ?? '', asset } : { id: asset }
}
