import type { BulkChange } from '@stowage/server/src/domain/bulk'
import type { BulkJobAction, Command } from './commands.ts'
import {
  allowIf,
  allowsAssets,
  bytesIn,
  changeUpload,
  findUpload,
  isVisible,
  type Model,
  type ModelBulk,
  withTags,
} from './model.ts'
import type { Observation } from './observation.ts'
import { deletePermanently, toTrash } from './trash-rules.ts'

type Call<Kind extends Command['kind']> = Extract<Command, { kind: Kind }>

const TAGS = ['Bulk']
/** No folder move starts or ends here. */
const PATH = 'bulk'

export const BULK_CHANGES: Record<BulkJobAction, BulkChange> = {
  delete: { action: 'delete', isFromTrash: false },
  purge: { action: 'delete', isPermanent: true, isFromTrash: true },
  restore: { action: 'restore', isFromTrash: true },
  tag: { action: 'tag', tags: TAGS, isFromTrash: false },
  move: { action: 'move', path: PATH, isFromTrash: false },
}

/** The rules for changes of several assets in the background. */
export const BULK_RULES = {
  beginBulk(model: Model, { action }: Call<'beginBulk'>, seen: Observation): Model | undefined {
    if (seen.code !== 'begun') return allowIf(seen.code === 'too_many_jobs', model)
    const change = { action, ids: seen.ids ?? [] }
    return { ...model, beingChanged: [...model.beingChanged, change] }
  },
}

/** Makes the interrupted changes. */
export function finishBulk(model: Model): Model {
  return model.beingChanged.reduce(finishChange, model)
}

/** Any of the interrupted changes may have been made, in any order. */
export function modelsWithBulk(model: Model): Model[] {
  const next = model.beingChanged.flatMap((change) => modelsWithBulk(finishChange(model, change)))
  return [model, ...next]
}

/** There are so few assets that one transaction changes all of them. */
function finishChange(before: Model, change: ModelBulk): Model {
  const beingChanged = before.beingChanged.filter((one) => one !== change)
  const model = { ...before, beingChanged }
  const assets = change.ids.flatMap((id) => findUpload(model, id) ?? [])
  const visible = assets.filter(isVisible)
  const trashed = assets.filter(({ status }) => status === 'trashed')
  switch (change.action) {
    case 'delete':
      return assets.reduce(toTrash, model)
    case 'purge':
      return trashed.reduce(deletePermanently, model)
    case 'restore': {
      const needed = bytesIn({ ...model, uploads: trashed }, 'trashed')
      const used = bytesIn(model, 'ready') + bytesIn(model, 'uploading')
      if (needed > 0 && used + needed > model.plan) return model
      if (trashed.length > 0 && !allowsAssets(model, trashed.length)) return model
      return trashed.reduce((all, { id }) => changeUpload(all, id, { status: 'ready' }), model)
    }
    case 'tag':
      return visible.reduce(
        (all, { id, tags = [] }) => changeUpload(all, id, { tags: withTags(tags, TAGS) }),
        model,
      )
    default:
      return visible.reduce((all, { id }) => changeUpload(all, id, { path: PATH }), model)
  }
}
