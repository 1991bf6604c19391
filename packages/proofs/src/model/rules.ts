import { BULK_RULES } from './bulk-rules.ts'
import { CHUNK_SIZE, type Command, productOf, TOKEN_BYTES, TOKEN_FILES } from './commands.ts'
import { FOLDER_RULES } from './folder-rules.ts'
import { isSame, LIST_RULES, storedVariants } from './list-rules.ts'
import {
  allowIf,
  allowsAssets,
  bytesIn,
  changeUpload,
  completeUpload,
  digestOf,
  endedStatus,
  findUpload,
  hasAllParts,
  isVisible,
  type Model,
  type ModelUpload,
  partCount,
  replacementOf,
  servedVersion,
  tokenUse,
  withCurrent,
  withTags,
} from './model.ts'
import { NO_RESPONSE, type Observation } from './observation.ts'
import { deletePermanently, TRASH_RULES, toTrash } from './trash-rules.ts'

type Call<Kind extends Command['kind']> = Extract<Command, { kind: Kind }>

/** The rules for replacing files, and for their versions. */
const VERSION_RULES = {
  replace(model: Model, { size, declares }: Call<'replace'>, seen: Observation): Model | undefined {
    const asset = findUpload(model, seen.asset ?? '')
    const refusal = refusalOf(asset)
    if (asset === undefined || refusal !== undefined) return allowIf(seen.code === refusal, model)
    const other = replacementOf(model, asset)
    const isLost = asset.hasLostReplacement && seen.code === 'replacement_in_progress'
    if (isLost) return model
    if (other !== undefined) return allowIf(seen.code === 'replacement_in_progress', model)
    const used = bytesIn(model, 'ready') + bytesIn(model, 'uploading')
    if (used + size > model.plan) return allowIf(seen.status === 402, model)
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
    if (asset === undefined || refusal !== undefined) return allowIf(seen.code === refusal, model)
    if (asset.version === version) return allowIf(seen.status === 200, model)
    const older = asset.older.find((one) => one.version === version)
    if (older === undefined) return allowIf(seen.code === 'not_found', model)
    return allowIf(seen.status === 200, changeUpload(model, asset.id, withCurrent(asset, older)))
  },

  deleteVersion(
    model: Model,
    { version }: Call<'deleteVersion'>,
    seen: Observation,
  ): Model | undefined {
    const asset = findUpload(model, seen.id ?? '')
    const refusal = refusalOf(asset)
    if (asset === undefined || refusal !== undefined) return allowIf(seen.code === refusal, model)
    if (asset.version === version) return allowIf(seen.code === 'current_version', model)
    const older = asset.older.filter((one) => one.version !== version)
    if (older.length === asset.older.length) return allowIf(seen.code === 'not_found', model)
    return allowIf(seen.status === 202, changeUpload(model, asset.id, { older }))
  },

  versions(model: Model, _: Call<'versions'>, seen: Observation): Model | undefined {
    const asset = findUpload(model, seen.id ?? '')
    const refusal = refusalOf(asset)
    if (asset === undefined || refusal !== undefined) return allowIf(seen.code === refusal, model)
    return allowIf(JSON.stringify(seen.versions) === JSON.stringify(versionsOf(asset)), model)
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

/** Calls that ran at the same time and may change the response without changing the outcome. */
export interface ConcurrentCalls {
  /** Another client tried to complete the same upload. */
  isCompleted: boolean
  /** Another client sent a part of the same upload. */
  isPut: boolean
  /** Another client or a job may have ended the same upload. */
  isEnded: boolean
  /** Another client or a job affected the same upload, or may have affected any upload. */
  isTouched: boolean
  /** No other client made a call. */
  isAlone: boolean
}

export type Rule<Kind extends Command['kind']> = (
  model: Model,
  command: Extract<Command, { kind: Kind }>,
  seen: Observation,
  concurrent: ConcurrentCalls,
) => Model | undefined

/** The rule for each call. It returns the next model, or undefined if the response is wrong. */
export const RULES: { [Kind in Command['kind']]: Rule<Kind> } = {
  sign(model, { size: requested, minSize, key, byToken = false }, seen) {
    const earlier = model.uploads.find((upload) => key !== undefined && upload.key === key)
    if (earlier !== undefined) {
      if (!isVisible(earlier)) return allowIf(seen.code === 'upload_ended', model)
      return allowIf(seen.status === 201 && seen.id === earlier.id, model)
    }
    const least = minSize ?? requested
    if (byToken) {
      const { bytes, files } = tokenUse(model)
      const isExceeded = files >= TOKEN_FILES || bytes + least > TOKEN_BYTES
      if (isExceeded) return allowIf(seen.code === 'upload_token_exceeded', model)
    }
    if (!allowsAssets(model, 1)) return allowIf(seen.code === 'assets_exceeded', model)
    const used = bytesIn(model, 'ready') + bytesIn(model, 'uploading')
    if (used + least > model.plan) return allowIf(seen.code === 'storage_exceeded', model)
    if (seen.status !== 201 || seen.id === undefined) return undefined
    const size = seen.size ?? requested
    if (!isEstimate({ size, least, requested })) return undefined
    // More than the certain size is reserved only if it is free.
    if (size > least && used + bytesIn(model, 'trashed') + size > model.plan) return undefined
    const upload: ModelUpload = {
      id: seen.id,
      size,
      status: 'uploading',
      name: 'file.bin',
      path: null,
      parts: [],
      variants: [],
      version: 1,
      lastVersion: 1,
      older: [],
      ...(key !== undefined && { key }),
      ...(byToken && { tokenBytes: size }),
      ...(seen.attaches !== undefined && { attaches: seen.attaches }),
    }
    return { ...model, uploads: [...model.uploads, upload] }
  },

  ...VERSION_RULES,
  ...TRASH_RULES,
  ...FOLDER_RULES,
  ...BULK_RULES,
  ...LIST_RULES,

  storeLink(model, { name }, seen) {
    if (!allowsAssets(model, 1)) return allowIf(seen.code === 'assets_exceeded', model)
    if (seen.status !== 201 || seen.id === undefined) return undefined
    return { ...model, links: [...model.links, { id: seen.id, name }] }
  },

  put: putParts,
  putAll: putParts,

  complete(model, _, seen, concurrent) {
    const upload = uploadOf(model, seen)
    const ended = endedStatus(model, upload)
    if (ended !== undefined) return allowIf(seen.status === ended, model)
    if (isCompleted(upload)) return allowIf(seen.status === 200, model)
    // A completion that read the parts before they were replaced is refused.
    if (seen.status === 422 && concurrent.isPut) {
      return changeUpload(model, upload.id, { isSizeFinal: true })
    }
    const etags = new Map(upload.parts.map(({ number, etag }) => [number, etag]))
    const matches = (seen.parts ?? []).every(({ number, etag }) => etags.get(number) === etag)
    if (!hasAllParts(upload) || !matches) return allowIf(seen.status === 422, model)
    if (seen.status !== 200) return undefined
    return completeUpload(model, upload)
  },

  cancel(model, _, seen, concurrent) {
    const upload = uploadOf(model, seen)
    if (seen.code === 'upload_completing') return allowIf(concurrent.isCompleted, model)
    // Cancelling again has the same result, unless the asset of a replacement was deleted.
    const ended = endedStatus(model, { ...upload, ...stillOpen(upload) })
    if (ended !== undefined) return allowIf(seen.status === ended, model)
    if (isCompleted(upload)) return allowIf(seen.code === 'already_uploaded', model)
    if (seen.status !== 200) return undefined
    return changeUpload(model, upload.id, { status: 'cancelled', parts: [] })
  },

  delete(model, { isPermanent = false }, seen, concurrent) {
    const upload = uploadOf(model, seen)
    if (seen.code === 'upload_completing') {
      return allowIf(concurrent.isCompleted || upload?.isSizeFinal === true, model)
    }
    const isFound = isVisible(upload) || (isPermanent && upload.status === 'trashed')
    if (!isFound) return allowIf(seen.status === 404, model)
    if (seen.status !== 202) return undefined
    if (upload.status === 'uploading') {
      return changeUpload(model, upload.id, { status: 'cancelled', parts: [], variants: [] })
    }
    return isPermanent ? deletePermanently(model, upload) : toTrash(model, upload)
  },

  resume(model, _, seen, concurrent) {
    const upload = uploadOf(model, seen)
    const ended = endedStatus(model, upload)
    if (ended !== undefined) return allowIf(seen.status === ended, model)
    if (seen.status !== 200) return undefined
    if (concurrent.isTouched) return model
    const received = isCompleted(upload) ? [] : upload.parts.map(({ number }) => number)
    return allowIf(isSame(seen.received, received), model)
  },

  resize(model, command, seen, concurrent) {
    const upload = uploadOf(model, seen)
    if (seen.code === 'upload_completing') {
      return allowIf(concurrent.isCompleted || upload?.isSizeFinal === true, model)
    }
    // The response is read after the change, so a deletion in between makes it 404.
    const isGone = seen.status === 404 && concurrent.isTouched
    const ended = endedStatus(model, upload)
    if (ended !== undefined) return allowIf(seen.status === ended, model)
    if (isCompleted(upload)) return allowIf(seen.code === 'already_uploaded', model)
    // The received parts are read before the size changes, so parts may arrive in between.
    const { size: requested, minSize = requested } = command
    const isBeyond = upload.parts.some(({ number }) => number > partCount(minSize))
    if (isBeyond && !(concurrent.isPut && seen.status !== 422))
      return allowIf(seen.status === 422, model)
    const others = bytesIn(model, 'ready') + bytesIn(model, 'uploading') - upload.size
    const least = certainSize(command, upload.size)
    const isTooLarge = least > upload.size && others + least > model.plan
    if (isTooLarge) return allowIf(seen.status === 402, model)
    if (seen.status !== 200 && !isGone) return undefined
    const size = seen.size ?? least
    if (!isEstimate({ size, least, requested })) return undefined
    const isFree = others + bytesIn(model, 'trashed') + size <= model.plan
    return allowIf(size === least || isFree, changeUpload(model, upload.id, { size }))
  },

  rename(model, { name, path }, seen) {
    const upload = uploadOf(model, seen)
    if (!isVisible(upload)) return allowIf(seen.status === 404, model)
    return seen.status === 200 ? changeUpload(model, upload.id, { name, path }) : undefined
  },

  retag(model, { tags }, seen) {
    const upload = uploadOf(model, seen)
    if (!isVisible(upload)) return allowIf(seen.status === 404, model)
    if (seen.status !== 200) return undefined
    return changeUpload(model, upload.id, { tags: withTags([], tags) })
  },

  attach(model, command, seen, concurrent) {
    const upload = uploadOf(model, seen)
    // The response is read after the change, so a deletion in between makes it 404.
    const isGone = seen.status === 404 && concurrent.isTouched
    if (!isVisible(upload)) return allowIf(seen.status === 404, model)
    const chosen = chosenVariants(model, command)
    if (chosen.length === 0) return allowIf(seen.status === 422 || isGone, model)
    if (seen.status !== 201 && !isGone) return undefined
    const variants = [...new Set([...upload.variants, ...chosen])].sort()
    return changeUpload(model, upload.id, { variants })
  },

  detach(model, command, seen, concurrent) {
    const upload = uploadOf(model, seen)
    const isGone = seen.status === 404 && concurrent.isTouched
    if (!isVisible(upload)) return allowIf(seen.status === 404, model)
    const chosen = chosenVariants(model, command)
    if (chosen.length === 0) return allowIf(seen.status === 422 || isGone, model)
    if (seen.status !== 200 && !isGone) return undefined
    const variants = upload.variants.filter((one) => !chosen.includes(one))
    return changeUpload(model, upload.id, { variants })
  },

  import(model, { variants, vendor }, seen) {
    if (seen.status !== 200 || seen.products === undefined) return undefined
    const isKept = variants.every((variant) => {
      const id = seen.products?.[variant]
      const expected = vendor ?? model.vendors[variant] ?? ''
      return (model.products[variant] ?? id) === id && seen.vendors?.[variant] === expected
    })
    const products = { ...model.products, ...seen.products }
    return allowIf(isKept, { ...model, products, vendors: { ...model.vendors, ...seen.vendors } })
  },

  removeProduct(model, { variant }, seen) {
    if (model.products[variant] !== seen.products?.[variant]) {
      return allowIf(seen.status === 404, model)
    }
    if (seen.status !== 202) return undefined
    const { [variant]: _, ...products } = model.products
    const { [variant]: __, ...vendors } = model.vendors
    const uploads = model.uploads.map((one) => ({
      ...one,
      variants: one.variants.filter((other) => other !== variant),
    }))
    return { ...model, uploads, products, vendors }
  },

  changePlan: (model, { bytes, assets = null }) => ({ ...model, plan: bytes, maxAssets: assets }),

  expire(model, _, seen, concurrent) {
    // An upload cannot expire before it is signed.
    if (model.uploads.every(({ id }) => id !== seen.id)) return undefined
    const upload = uploadOf(model, seen)
    if (upload.status !== 'uploading') return model
    // A resumed upload is kept.
    if (seen.code !== 'expired') return allowIf(concurrent.isTouched, model)
    return changeUpload(model, upload.id, { status: 'expired', parts: [], variants: [] })
  },

  read(model, _, seen) {
    return allowIf(seen.status === (isVisible(uploadOf(model, seen)) ? 200 : 404), model)
  },

  download(model, _, seen, { isAlone }) {
    const upload = uploadOf(model, seen)
    if (upload.status === 'uploading') return allowIf(seen.code === 'not_ready', model)
    if (upload.status !== 'ready') return allowIf(seen.status === 404, model)
    const served = servedVersion(upload)
    if (served === undefined) return allowIf(seen.status === 409, model)
    // A concurrent call may have removed the object before it was read.
    const isRight = seen.sha256 === undefined ? !isAlone : seen.sha256 === digestOf(served)
    return allowIf(seen.status === 302 && isRight, model)
  },

  job: (model) => model,
}

function putParts(
  model: Model,
  _: unknown,
  seen: Observation,
  concurrent: ConcurrentCalls,
): Model | undefined {
  // A newer PUT of the same part, or the end of the upload, closes the connection.
  if (seen.status === NO_RESPONSE) return allowIf(concurrent.isTouched, model)
  const upload = uploadOf(model, seen)
  const isStored = seen.status === 200
  if (upload.status !== 'uploading') {
    // The storage accepts parts until the call that ends the upload has reached it.
    const mayBeStored = concurrent.isEnded || upload.isOpenInStorage === true
    return allowIf(isStored ? mayBeStored : seen.status < 500, model)
  }
  // A newer PUT of the same part has replaced it.
  if (seen.status === 409) return allowIf(concurrent.isPut, model)
  if (!isStored) return undefined
  const sent = seen.parts ?? []
  const others = upload.parts.filter(({ number }) => sent.every((one) => one.number !== number))
  const parts = [...others, ...sent].sort((a, b) => a.number - b.number)
  return changeUpload(model, upload.id, { parts })
}

/** The size that a resize needs. An estimate does not take away what is reserved. */
export function certainSize(
  { size, minSize }: { size: number; minSize?: number },
  reserved: number,
): number {
  return minSize === undefined || minSize === size
    ? size
    : Math.min(size, Math.max(minSize, reserved))
}

/** Whether this size can be reserved: the certain or the requested one, or whole parts in between. */
function isEstimate({
  size,
  least,
  requested,
}: {
  size: number
  least: number
  requested: number
}): boolean {
  if (size === least || size === requested) return true
  return size > least && size < requested && size % CHUNK_SIZE === 0
}

function isCompleted({ status }: ModelUpload): boolean {
  return status === 'ready' || status === 'merged'
}

function stillOpen({ status }: ModelUpload): Partial<ModelUpload> {
  return status === 'cancelled' ? { status: 'uploading' } : {}
}

function uploadOf(model: Model, { id }: Observation): ModelUpload {
  const upload = findUpload(model, id ?? '')
  if (upload === undefined) throw new Error(`upload ${id} was not signed`)
  return upload
}

/** The variant, or all stored variants of its product. */
function chosenVariants(
  model: Model,
  { variant, isWhole }: { variant: number; isWhole?: boolean },
): number[] {
  const stored = storedVariants(model)
  if (!isWhole) return stored.filter((one) => one === variant)
  return stored.filter((one) => productOf(one) === productOf(variant))
}
