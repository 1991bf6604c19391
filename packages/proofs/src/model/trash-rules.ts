import type { Command } from './commands.ts'
import {
  allowIf,
  allowsAssets,
  bytesIn,
  changeUpload,
  findUpload,
  isVisible,
  type Model,
  type ModelUpload,
  readyUploads,
  replacementOf,
  withTags,
} from './model.ts'
import type { Observation } from './observation.ts'

type Call<Kind extends Command['kind']> = Extract<Command, { kind: Kind }>

const DELETED: Partial<ModelUpload> = { status: 'deleted', parts: [], variants: [], older: [] }

/** The rules for the trash, and for changes of several assets. */
export const TRASH_RULES = {
  restoreAsset(model: Model, _: Call<'restoreAsset'>, seen: Observation): Model | undefined {
    const asset = findUpload(model, seen.id ?? '')
    if (asset === undefined || !isReadyOrTrashed(asset)) return allowIf(seen.status === 404, model)
    return restoreAll(model, [asset], seen)
  },

  emptyTrash(model: Model, _: Call<'emptyTrash'>, seen: Observation): Model | undefined {
    return allowIf(seen.status === 202, withoutTrash(model))
  },

  deleteAll(model: Model, _: Call<'deleteAll'>, seen: Observation): Model | undefined {
    return allowIf(seen.status === 202, trashAll(model))
  },

  beginDeleteAll: (model: Model): Model => ({
    ...model,
    beingDeleted: readyUploads(model).map(({ id }) => id),
  }),

  bulkDelete(model: Model, command: Call<'bulkDelete'>, seen: Observation): Model | undefined {
    const assets = assetsOf(model, seen)
    if (!assets.every(isReadyOrTrashed)) return allowIf(seen.status === 422, model)
    const end = command.isPermanent ? deletePermanently : toTrash
    return allowIf(seen.status === 200, assets.reduce(end, model))
  },

  bulkRestore(model: Model, _: Call<'bulkRestore'>, seen: Observation): Model | undefined {
    const assets = assetsOf(model, seen)
    if (!assets.every(isReadyOrTrashed)) return allowIf(seen.status === 422, model)
    return restoreAll(model, assets, seen)
  },

  bulkTag(model: Model, command: Call<'bulkTag'>, seen: Observation): Model | undefined {
    const assets = assetsOf(model, seen)
    if (!assets.every(isVisible)) return allowIf(seen.status === 422, model)
    const removed = new Set(command.tags.map((tag) => tag.toLowerCase()))
    const tagsOf = ({ tags = [] }: ModelUpload) =>
      command.isRemoval
        ? tags.filter((tag) => !removed.has(tag.toLowerCase()))
        : withTags(tags, command.tags)
    const tagged = assets.reduce(
      (changed, asset) => changeUpload(changed, asset.id, { tags: tagsOf(asset) }),
      model,
    )
    return allowIf(seen.status === 200, tagged)
  },

  trash(model: Model, _: Call<'trash'>, seen: Observation): Model | undefined {
    const trashed = model.uploads.filter(({ status }) => status === 'trashed').map(({ id }) => id)
    return allowIf(
      JSON.stringify(seen.listed?.toSorted()) === JSON.stringify(trashed.sort()),
      model,
    )
  },
}

/** Moves a ready asset to the trash. Its unfinished replacement is cancelled. */
export function toTrash(model: Model, { id, status }: ModelUpload): Model {
  if (status !== 'ready') return model
  return changeUpload(withoutReplacement(model, id), id, { status: 'trashed' })
}

export function deletePermanently(model: Model, { id }: ModelUpload): Model {
  return changeUpload(withoutReplacement(model, id), id, DELETED)
}

export function withoutTrash(model: Model): Model {
  return model.uploads.filter(({ status }) => status === 'trashed').reduce(deletePermanently, model)
}

function trashAll(model: Model): Model {
  return model.uploads.reduce(toTrash, model)
}

/** Moves the assets of an interrupted `deleteAll` to the trash. */
export function finishDeletion(model: Model): Model {
  const assets = model.beingDeleted.flatMap((id) => findUpload(model, id) ?? [])
  return assets.reduce(toTrash, model)
}

/**
 * Removes assets from the trash until these bytes fit into the plan. Returns a model for each possible choice of
 * assets: which of them are the oldest is not in the model, because several may be deleted in the same millisecond.
 */
export function modelsWithRoom(model: Model, needed: number): Model[] {
  const used = bytesIn(model, 'ready') + bytesIn(model, 'uploading') + needed
  if (used > model.plan) return [model]
  const fitting = new Map<string, Model>()
  let tooFull = new Map([['', model]])
  while (tooFull.size > 0) {
    const next = new Map<string, Model>()
    for (const [text, one] of tooFull) {
      if (used + bytesIn(one, 'trashed') <= model.plan) fitting.set(text, one)
      else for (const smaller of withOneRemoved(one)) next.set(JSON.stringify(smaller), smaller)
    }
    tooFull = next
  }
  return [...fitting.values()]
}

function withOneRemoved(model: Model): Model[] {
  const trashed = model.uploads.filter(({ status }) => status === 'trashed')
  return trashed.map((asset) => deletePermanently(model, asset))
}

function restoreAll(model: Model, assets: ModelUpload[], seen: Observation): Model | undefined {
  const trashed = assets.filter(({ status }) => status === 'trashed')
  if (trashed.length > 0 && !allowsAssets(model, trashed.length)) {
    return allowIf(seen.code === 'assets_exceeded', model)
  }
  const needed = bytesIn({ ...model, uploads: trashed }, 'trashed')
  const used = bytesIn(model, 'ready') + bytesIn(model, 'uploading')
  if (needed > 0 && used + needed > model.plan) return allowIf(seen.status === 402, model)
  const restored = trashed.reduce(
    (changed, { id }) => changeUpload(changed, id, { status: 'ready' }),
    model,
  )
  return allowIf(seen.status === 200, restored)
}

/**
 * The storage may still accept parts of the replacement, until a job removes its upload there. The deletion of all
 * assets leaves this to the job, and so does a deletion that happens before the storage has opened the upload.
 */
function withoutReplacement(model: Model, id: string): Model {
  const replacement = replacementOf(model, { id })
  if (replacement === undefined) return model
  const ended: Partial<ModelUpload> = { status: 'cancelled', parts: [], isOpenInStorage: true }
  return changeUpload(model, replacement.id, ended)
}

/** The assets of a call about several assets. */
function assetsOf(model: Model, { ids = [] }: Observation): ModelUpload[] {
  return ids.flatMap((id) => findUpload(model, id) ?? [])
}

function isReadyOrTrashed({ status }: ModelUpload): boolean {
  return status === 'ready' || status === 'trashed'
}
