import type { Upload } from '../../domain/asset.ts'
import {
  type BulkChange,
  type BulkEntry,
  type BulkFailure,
  isEffective,
} from '../../domain/bulk.ts'
import type { ProductSelection } from '../../domain/product.ts'
import type { MoveAssetsOutcome } from '../folder-data.ts'
import type { TagOutcome } from '../tag-data.ts'
import type { AssetsAttachmentOutcome, AssetsOutcome, AssetsRestoreOutcome } from '../trash-data.ts'

/** The changes of several assets, all or none, that a batch consists of. They run in the transaction of the batch. */
export interface BatchMethods {
  trashAssets(ids: string[]): unknown
  /** With `isFromTrash`, only those that are in the trash. */
  deleteAssets(ids: string[], isFromTrash?: boolean): unknown
  restoreAssets(ids: string[]): unknown
  attachAssets(ids: string[], selection: ProductSelection): unknown
  detachAssets(ids: string[], selection: ProductSelection): unknown
  tagAssets(ids: string[], tags: string[]): unknown
  untagAssets(ids: string[], tags: string[]): unknown
  /** With `from`, only those that are in this folder. */
  moveAssets(ids: string[], path: string | null, from?: string | null): unknown
}

export interface BatchStep {
  method: keyof BatchMethods
  args: [ids: string[], ...values: unknown[]]
}

export interface BatchResult {
  /** What undoes the changes, as it is stored in a batch. */
  undo: (string | BulkEntry)[]
  /** Unfinished replacements that were cancelled. */
  replacements: Upload[]
  /** Nothing more can be changed. */
  failure?: BulkFailure
}

type BatchWork<Result> = Generator<BatchStep, Result, unknown>

/**
 * Changes the assets of a batch as far as they still exist. The engine runs each step in the transaction of the batch, which
 * has locked what the steps lock, and returns its outcome.
 */
export function* changeBatch(change: BulkChange, entries: BulkEntry[]): BatchWork<BatchResult> {
  const result: BatchResult = { undo: [], replacements: [] }
  if (!isEffective(change)) return result
  for (const { values, ids } of groupsOf(change, entries)) {
    const all = { ...change, ...values }
    const changed = yield* changeGroup(all, ids, result)
    // What all assets of the job have in common is stored once.
    result.undo.push(...changed.map((entry) => withoutCommon(change, entry)))
    if (result.failure !== undefined) break
  }
  return result
}

type Values = Omit<BulkEntry, 'id'>

/** Assets with the same values need one step only. */
function groupsOf({ action }: BulkChange, entries: BulkEntry[]) {
  const groups = new Map<string, { values: Values; ids: string[] }>()
  for (const { id, ...values } of entries) {
    const own = action === 'delete' || action === 'restore' ? {} : values
    const key = JSON.stringify(own)
    const group = groups.get(key) ?? { values: own, ids: [] }
    group.ids.push(id)
    groups.set(key, group)
  }
  return [...groups.values()]
}

function withoutCommon(change: BulkChange, { id, ...values }: BulkEntry): string | BulkEntry {
  const own: Values = { ...values }
  for (const name of ['products', 'tags'] as const) {
    const isSame = own[name]?.toSorted().join('\n') === change[name]?.toSorted().join('\n')
    if (isSame) delete own[name]
  }
  return Object.keys(own).length === 0 ? id : { id, ...own }
}

function* changeGroup(
  change: BulkChange & Values,
  ids: string[],
  result: BatchResult,
): BatchWork<BulkEntry[]> {
  const { action, isPermanent, isFromTrash, products = [], tags = [], path = null, from } = change
  if (action === 'delete') {
    const outcome = isPermanent
      ? yield* forKnown<AssetsOutcome>('deleteAssets', ids, isFromTrash)
      : yield* forKnown<AssetsOutcome>('trashAssets', ids)
    result.replacements.push(...(outcome?.replacements ?? []))
    return (outcome?.changed ?? []).map((id) => ({ id }))
  }
  if (action === 'restore') {
    const outcome = yield* forKnown<AssetsRestoreOutcome>('restoreAssets', ids)
    if (outcome === undefined) return []
    if (outcome.outcome === 'restored') return outcome.changed.map((id) => ({ id }))
    result.failure = outcome.outcome
    return []
  }
  if (action === 'move') {
    const values = from === undefined ? [path] : [path, from]
    const outcome = yield* forKnown<MoveAssetsOutcome>('moveAssets', ids, ...values)
    return (outcome?.moved ?? []).map(({ id, path: before }) => ({ id, path: before, from: path }))
  }
  if (action === 'tag' || action === 'untag') {
    const method = action === 'tag' ? 'tagAssets' : 'untagAssets'
    const outcome = yield* forKnown<TagOutcome>(method, ids, tags)
    if (outcome?.outcome === 'too_many_tags') result.failure = 'too_many_tags'
    return outcome?.outcome === 'done' ? outcome.changed : []
  }
  return yield* changeAttachments(action === 'attach' ? 'attachAssets' : 'detachAssets', {
    ids,
    products,
  })
}

function* changeAttachments(
  method: 'attachAssets' | 'detachAssets',
  { ids, products }: { ids: string[]; products: string[] },
): BatchWork<BulkEntry[]> {
  for (let known = products; known.length > 0; ) {
    const selection = { productIds: [], variantIds: [], ids: known, skus: [] }
    const outcome = yield* forKnown<AssetsAttachmentOutcome>(method, ids, selection)
    if (outcome?.outcome === 'done') {
      return outcome.changed.map(({ assetId, productIds }) => ({
        id: assetId,
        products: productIds,
      }))
    }
    if (outcome?.outcome !== 'products_not_found') return []
    const unknown = new Set(outcome.unknown.ids)
    known = known.filter((id) => !unknown.has(id))
  }
  return []
}

type Partial =
  | { outcome: 'assets_not_found'; unknown: string[] }
  | { outcome: 'assets_full'; ids: string[] }

/** Repeats the step without the assets that do not allow it. Undefined if none remains. */
function* forKnown<Outcome extends { outcome: string }>(
  method: BatchStep['method'],
  given: string[],
  ...values: unknown[]
): BatchWork<Exclude<Outcome, Partial> | undefined> {
  for (let ids = given; ids.length > 0; ) {
    const outcome = (yield { method, args: [ids, ...values] }) as Outcome | Partial
    const refused = refusedBy(outcome)
    if (refused === undefined) return outcome as Exclude<Outcome, Partial>
    ids = ids.filter((id) => !refused.has(id))
  }
  return undefined
}

function refusedBy(outcome: { outcome: string } | Partial): Set<string> | undefined {
  if (outcome.outcome === 'assets_not_found')
    return new Set((outcome as { unknown: string[] }).unknown)
  if (outcome.outcome === 'assets_full') return new Set((outcome as { ids: string[] }).ids)
  return undefined
}
