import type { Command } from './commands.ts'
import {
  bytesIn,
  changeUpload,
  findUpload,
  type Model,
  type ModelUpload,
  replacementOf,
  withCurrent,
} from './model.ts'
import type { Observation } from './observation.ts'

type Call<Kind extends Command['kind']> = Extract<Command, { kind: Kind }>

/** The rules for replacing files, and for their versions. */
export const VERSION_RULES = {
  replace(model: Model, { size, declares }: Call<'replace'>, seen: Observation): Model | undefined {
    const asset = findUpload(model, seen.asset ?? '')
    const refusal = refusalOf(asset)
    if (asset === undefined || refusal !== undefined) return allow(seen.code === refusal, model)
    const other = replacementOf(model, asset)
    const isLost = asset.hasLostReplacement && seen.code === 'replacement_in_progress'
    if (isLost) return model
    if (other !== undefined) return allow(seen.code === 'replacement_in_progress', model)
    const used = bytesIn(model, 'ready') + bytesIn(model, 'uploading')
    if (used + size > model.plan) return allow(seen.status === 402, model)
    if (seen.status !== 201 || seen.id === undefined) return undefined
    const upload: ModelUpload = {
      id: seen.id,
      replaces: asset.id,
      size,
      status: 'uploading',
      name: asset.name,
      path: null,
      parts: [],
      variants: [],
      version: 1,
      lastVersion: 1,
      older: [],
      ...(declares !== undefined && { declares: { content: declares, size } }),
    }
    return { ...model, uploads: [...model.uploads, upload] }
  },

  /** These commands consist of several calls, and each call is checked separately. */
  uploadWhole: (model: Model): Model => model,
  replaceWhole: (model: Model): Model => model,

  restore(model: Model, { version }: Call<'restore'>, seen: Observation): Model | undefined {
    const asset = findUpload(model, seen.id ?? '')
    const refusal = refusalOf(asset)
    if (asset === undefined || refusal !== undefined) return allow(seen.code === refusal, model)
    if (asset.version === version) return allow(seen.status === 200, model)
    const older = asset.older.find((one) => one.version === version)
    if (older === undefined) return allow(seen.code === 'not_found', model)
    return allow(seen.status === 200, changeUpload(model, asset.id, withCurrent(asset, older)))
  },

  deleteVersion(
    model: Model,
    { version }: Call<'deleteVersion'>,
    seen: Observation,
  ): Model | undefined {
    const asset = findUpload(model, seen.id ?? '')
    const refusal = refusalOf(asset)
    if (asset === undefined || refusal !== undefined) return allow(seen.code === refusal, model)
    if (asset.version === version) return allow(seen.code === 'current_version', model)
    const older = asset.older.filter((one) => one.version !== version)
    if (older.length === asset.older.length) return allow(seen.code === 'not_found', model)
    return allow(seen.status === 202, changeUpload(model, asset.id, { older }))
  },

  versions(model: Model, _: Call<'versions'>, seen: Observation): Model | undefined {
    const asset = findUpload(model, seen.id ?? '')
    const refusal = refusalOf(asset)
    if (asset === undefined || refusal !== undefined) return allow(seen.code === refusal, model)
    return allow(JSON.stringify(seen.versions) === JSON.stringify(versionsOf(asset)), model)
  },
}

/** The versions of the asset, in the order in which the API lists them. */
export function versionsOf(asset: ModelUpload) {
  return [
    { ...asset, isCurrent: true },
    ...asset.older.map((one) => ({ ...one, isCurrent: false })),
  ]
    .map(({ version, size, name, isCurrent }) => ({ version, bytes: size, name, isCurrent }))
    .sort((a, b) => b.version - a.version)
}

/** Only a ready file has versions. */
function refusalOf(asset: ModelUpload | undefined): string | undefined {
  if (asset?.status === 'ready') return undefined
  return asset?.status === 'uploading' ? 'not_ready' : 'not_found'
}

function allow(isAllowed: boolean, model: Model): Model | undefined {
  return isAllowed ? model : undefined
}
