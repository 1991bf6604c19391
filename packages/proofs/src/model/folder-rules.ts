import type { Command } from './commands.ts'
import {
  allowIf,
  changeUpload,
  findUpload,
  isVisible,
  type Model,
  type ModelMove,
  type ModelUpload,
} from './model.ts'
import type { Observation } from './observation.ts'

type Call<Kind extends Command['kind']> = Extract<Command, { kind: Kind }>

/** The rules for folders. */
export const FOLDER_RULES = {
  bulkMove(model: Model, { path }: Call<'bulkMove'>, seen: Observation): Model | undefined {
    const assets = (seen.ids ?? []).flatMap((id) => findUpload(model, id) ?? [])
    if (!assets.every(isVisible)) return allowIf(seen.status === 422, model)
    const move = (changed: Model, id: string) => changeUpload(changed, id, { path })
    return allowIf(seen.status === 200, (seen.ids ?? []).reduce(move, model))
  },

  beginMoveFolder(model: Model, command: Call<'beginMoveFolder'>, seen: Observation) {
    const { from, to } = command
    const moved = model.uploads.filter(
      (upload) => upload.replaces === undefined && exists(upload) && isIn(upload.path, from),
    )
    if (model.beingMoved.some((other) => overlaps(other, command))) {
      return allowIf(seen.code === 'overlaps', model)
    }
    if (moved.length === 0) return allowIf(seen.code === 'folder_not_found', model)
    const move = { from, to, ids: moved.map(({ id }) => id) }
    return allowIf(seen.code === 'begun', { ...model, beingMoved: [...model.beingMoved, move] })
  },
}

/** Ended uploads are in no folder. */
function exists({ status }: ModelUpload): boolean {
  return status === 'uploading' || status === 'ready' || status === 'trashed'
}

export function isIn(path: string | null, folder: string): boolean {
  return path !== null && `${path}/`.startsWith(`${folder}/`)
}

function overlaps(one: Omit<ModelMove, 'ids'>, other: Omit<ModelMove, 'ids'>): boolean {
  const areRelated = (a: string, b: string) => isIn(a, b) || isIn(b, a)
  return (
    areRelated(one.from, other.from) ||
    areRelated(one.from, other.to) ||
    areRelated(one.to, other.from)
  )
}

/** Finishes the interrupted moves. */
export function finishMoves(model: Model): Model {
  return model.beingMoved.reduce(finishMove, model)
}

/** Any of the interrupted moves may have finished. */
export function modelsWithMoves(model: Model): Model[] {
  let models = [model]
  for (const move of model.beingMoved) {
    models = models.flatMap((one) => [one, finishMove(one, move)])
  }
  return models
}

function finishMove(model: Model, { from, to }: ModelMove): Model {
  // The current one: an asset whose path has changed meanwhile stays.
  const move = model.beingMoved.find((one) => one.from === from && one.to === to)
  const others = model.beingMoved.filter((one) => one !== move)
  const uploads = model.uploads.map((upload) =>
    move?.ids.includes(upload.id) && upload.path !== null
      ? { ...upload, path: to + upload.path.slice(from.length) }
      : upload,
  )
  return { ...model, uploads, beingMoved: others }
}
