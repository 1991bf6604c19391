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
  type ModelBulkResult,
  type ModelUpload,
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
    const change = { job: seen.job ?? '', action, ids: seen.ids ?? [] }
    return { ...model, beingChanged: [...model.beingChanged, change] }
  },

  endBulk(model: Model, { how }: Call<'endBulk'>, seen: Observation): Model | undefined {
    const { job, status, code } = seen
    if (job === undefined) return model
    const waiting = model.beingChanged.find((one) => one.job === job)
    if (how === 'cancel') {
      if (waiting === undefined) return allowIf(status === 200 && code !== 'running', model)
      const beingChanged = model.beingChanged.filter((one) => one !== waiting)
      return allowIf(code === 'cancelled', { ...model, beingChanged })
    }
    // All of its assets may be changed before it has ended.
    if (code === 'bulk_in_progress') return model
    const result = model.bulkResults[job]
    const isUndoable = result && result.action !== 'purge' && result.changed.length > 0
    if (waiting !== undefined) return undefined
    if (!isUndoable) return allowIf(code === 'not_undoable', model)
    if (status !== 202) return undefined
    if (result.isUndone) return model
    const undo = { job: `undo ${job}`, action: result.action, ids: [], undoes: result }
    const bulkResults = { ...model.bulkResults, [job]: { ...result, isUndone: true } }
    const begun = { ...model, bulkResults, beingChanged: [...model.beingChanged, undo] }
    // The call waits for small changes. Others are made at any time.
    return code === 'finished' ? finishChange(begun, undo) : begun
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
  const unchanged = { ...before, beingChanged }
  if (change.undoes !== undefined) return undo(unchanged, change.undoes)
  const model = applyChange(unchanged, change)
  const changed = change.ids.flatMap((id) => {
    const asset = findUpload(before, id)
    const isChanged = JSON.stringify(asset) !== JSON.stringify(findUpload(model, id))
    return asset && isChanged ? [{ id, path: asset.path }] : []
  })
  const result = { action: change.action, changed, isUndone: false }
  return { ...model, bulkResults: { ...model.bulkResults, [change.job]: result } }
}

/** Changes back what the change has changed, unless it was changed again since. */
function undo(model: Model, { action, changed }: ModelBulkResult): Model {
  const assets = changed.flatMap(({ id }) => findUpload(model, id) ?? [])
  if (action === 'delete') return restore(model, assets)
  if (action === 'restore') return assets.reduce(toTrash, model)
  if (action === 'tag') {
    return assets.filter(isVisible).reduce((all, { id, tags = [] }) => {
      const others = tags.filter((tag) => !TAGS.includes(tag))
      return changeUpload(all, id, { tags: others })
    }, model)
  }
  return changed.reduce((all, { id, path }) => {
    const asset = findUpload(all, id)
    const isThere = asset !== undefined && isVisible(asset) && asset.path === PATH
    return isThere ? changeUpload(all, id, { path }) : all
  }, model)
}

/** All of those in the trash, or none. */
function restore(model: Model, assets: ModelUpload[]): Model {
  const trashed = assets.filter(({ status }) => status === 'trashed')
  const needed = bytesIn({ ...model, uploads: trashed }, 'trashed')
  const used = bytesIn(model, 'ready') + bytesIn(model, 'uploading')
  if (needed > 0 && used + needed > model.plan) return model
  if (trashed.length > 0 && !allowsAssets(model, trashed.length)) return model
  return trashed.reduce((all, { id }) => changeUpload(all, id, { status: 'ready' }), model)
}

function applyChange(model: Model, change: ModelBulk): Model {
  const assets = change.ids.flatMap((id) => findUpload(model, id) ?? [])
  const visible = assets.filter(isVisible)
  switch (change.action) {
    case 'delete':
      return assets.reduce(toTrash, model)
    case 'purge':
      return assets.filter(({ status }) => status === 'trashed').reduce(deletePermanently, model)
    case 'restore':
      return restore(model, assets)
    case 'tag':
      return visible.reduce(
        (all, { id, tags = [] }) => changeUpload(all, id, { tags: withTags(tags, TAGS) }),
        model,
      )
    default:
      return visible.reduce((all, { id }) => changeUpload(all, id, { path: PATH }), model)
  }
}
