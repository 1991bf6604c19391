import type { ProductDetails } from '@stowage/protocol'
import fc from 'fast-check'

/** The variants of all products. Each product has two. */
export const VARIANTS = [1, 2, 3, 4]

const NAMES: Record<number, string> = { 1: 'Pack of dusty loops', 2: 'Drum kit' }

/** The product of a variant, except its vendor, which changes. */
export function detailsOf(variant: number) {
  const productId = productOf(variant)
  return {
    product_id: productId,
    variant_id: variant,
    name: NAMES[productId] ?? '',
    variant_name: variant % 2 === 1 ? 'WAV' : 'MP3',
    sku: skuOf(variant),
  } satisfies ProductDetails
}

export function productOf(variant: number): number {
  return Math.ceil(variant / 2)
}

export function skuOf(variant: number): string {
  return `SKU-${variant}`
}

/** The filters of a list of assets, as the query names them. */
export interface Filters {
  search?: string | undefined
  filename?: string | undefined
  path?: string | undefined
  type?: 'file' | 'link' | undefined
  attached?: boolean | undefined
  sku?: string | undefined
  product_id?: number | undefined
  tag?: string | undefined
}

/** Words of file names, of folders, and of every text of a product, and some that occur in none of them. */
const SEARCHES = [
  ...['pack', 'LOOPS dusty', 'drum wav', 'mp3', 'sku-3', 'press', 'kit sounds', 'bin', 'zip 2'],
  ...['STRASSE', 'straße pdf', 'a/b', 'ab pack', 'pack drum', 'missing'],
]

const FILE_NAMES = ['a 2.zip', 'Drum.zip', 'Straße.pdf']
const PATHS = ['a', 'a/b', 'ab', 'Drums']
const TAGS = ['Sale', 'sale', 'new']
/** Renames, a move to a folder above, and a merge. */
const FOLDER_MOVES = [
  { kind: 'beginMoveFolder', from: 'a', to: 'ab' },
  { kind: 'beginMoveFolder', from: 'a/b', to: 'a' },
  { kind: 'beginMoveFolder', from: 'ab', to: 'Drums/a' },
  { kind: 'beginMoveFolder', from: 'Drums', to: 'a/b' },
] as const satisfies Command[]
const VENDORS = ['', 'Press', 'Sounds']

const often = <Value>(...values: Value[]) =>
  fc.option(fc.constantFrom(...values), { nil: undefined, freq: 1 })
/** Rare, because a list with several filters is often empty. */
const rarely = <Value>(...values: Value[]) =>
  fc
    .tuple(fc.nat({ max: 4 }), fc.constantFrom(...values))
    .map(([choice, value]) => (choice === 0 ? value : undefined))

const filters: fc.Arbitrary<Filters> = fc.record({
  search: often(...SEARCHES),
  filename: rarely('zip', 'A', 'strass'),
  path: rarely('a', 'a/b/', 'Drums', 'drums'),
  type: rarely<'file' | 'link'>('file', 'link'),
  attached: rarely(true, false),
  sku: rarely(...VARIANTS.map(skuOf)),
  product_id: rarely(1, 2, 3),
  tag: rarely('sale', 'NEW', 'none'),
})

export function queryOf(query: Filters): string {
  const set = Object.entries(query).filter(([, value]) => value !== undefined)
  return new URLSearchParams([
    ['limit', '1000'],
    ...set.map(([name, value]) => [name, String(value)]),
  ]).toString()
}

/**
 * One call of a client, as data, so that a failing sequence can be shrunk and printed. `upload` is the
 * index of an upload that was signed earlier, modulo the number of such uploads.
 */
export type Command =
  /**
   * `key` is sent as `Idempotency-Key`. `byToken`: with the upload token of the account. `minSize`: the size is an
   * estimate, of which this much is certain.
   */
  | { kind: 'sign'; size: number; key?: string; byToken?: boolean; minSize?: number }
  | { kind: 'put'; upload: number; part: number; content: number }
  | { kind: 'putAll'; upload: number; content: number }
  | { kind: 'complete'; upload: number; etags: 'none' | 'known' | 'wrong' }
  | { kind: 'cancel'; upload: number }
  | { kind: 'resume'; upload: number }
  /** `minSize`: as of `sign`. */
  | { kind: 'resize'; upload: number; size: number; minSize?: number }
  /** Without `isPermanent`, a ready asset is moved to the trash. */
  | { kind: 'delete'; upload: number; isPermanent?: boolean }
  | { kind: 'restoreAsset'; upload: number }
  | { kind: 'bulkDelete'; uploads: number[]; isPermanent?: boolean }
  | { kind: 'bulkRestore'; uploads: number[] }
  | { kind: 'deleteAll' }
  /** A `deleteAll` whose process is killed before it moves the first asset. */
  | { kind: 'beginDeleteAll' }
  | { kind: 'emptyTrash' }
  | { kind: 'bulkMove'; uploads: number[]; path: string | null }
  /** A move of a folder whose process is killed before it moves the first asset. */
  | { kind: 'beginMoveFolder'; from: string; to: string }
  /** A change of several assets in the background whose process is killed before it changes the first one. */
  | { kind: 'beginBulk'; action: BulkJobAction; uploads: number[] }
  /** Cancels or undoes the change in the background that was begun last. */
  | { kind: 'endBulk'; how: 'cancel' | 'undo' }
  /** Lists the trash. */
  | { kind: 'trash' }
  /** `byToken`: with a new upload token for this asset. `declares`: declares the digest of this content. */
  | { kind: 'replace'; upload: number; size: number; byToken?: boolean; declares?: number }
  /** Uploads a file in three steps: sign, putAll, complete. */
  | { kind: 'uploadWhole'; size: number; content: number; byToken?: boolean }
  /** Replaces a file in three steps: replace, putAll, complete. */
  | { kind: 'replaceWhole'; upload: number; size: number; content: number; declares?: number }
  | { kind: 'restore'; upload: number; version: number }
  | { kind: 'deleteVersion'; upload: number; version: number }
  | { kind: 'versions'; upload: number }
  | { kind: 'rename'; upload: number; name: string; path: string | null }
  /** `isWhole`: all variants of the variant's product. */
  | { kind: 'attach'; upload: number; variant: number; isWhole?: boolean }
  | { kind: 'detach'; upload: number; variant: number; isWhole?: boolean }
  /** Replaces the tags of an asset. */
  | { kind: 'retag'; upload: number; tags: string[] }
  | { kind: 'bulkTag'; uploads: number[]; tags: string[]; isRemoval: boolean }
  /** Lists the tags. */
  | { kind: 'tags' }
  | { kind: 'storeLink'; name: string }
  | { kind: 'import'; variants: number[]; vendor?: string | undefined }
  | { kind: 'removeProduct'; variant: number }
  | { kind: 'changePlan'; bytes: number; assets?: number | null }
  | { kind: 'expire'; upload: number }
  | { kind: 'read'; upload: number }
  | { kind: 'download'; upload: number }
  | ({ kind: 'list' } & Filters)
  | { kind: 'products'; search?: string | undefined }
  | { kind: 'groups'; search?: string | undefined }
  | { kind: 'assetGroups'; upload: number }
  | { kind: 'uploads' }
  | { kind: 'account' }
  | { kind: 'job'; name: JobName }

/** `purge` removes the assets that are in the trash when the change is made. */
export type BulkJobAction = 'delete' | 'purge' | 'restore' | 'tag' | 'move'

/** The jobs that tests run as calls. The job that expires uploads is the command `expire`. */
export type JobName =
  | 'finishCompletions'
  | 'removeObjects'
  | 'removeOrphanedUploads'
  | 'continueDeletions'
  | 'continueFolderMoves'
  | 'continueBulkJobs'
  | 'emptyTrash'
  | 'forgetEndedAssets'
  | 'computeChecksums'

/** Calls that are made at the same time, each by a separate client. */
export type Batch = Command[]

/** Small, so that the plan is sometimes full and most files have several parts. */
export const CHUNK_SIZE = 10
export const INITIAL_PLAN = 160
const MAX_FILE_SIZE = 35
/** The limits of the upload token. Small, so that uploads are refused. */
export const TOKEN_BYTES = 70
export const TOKEN_FILES = 4
const MAX_CONCURRENT = 4

const upload = fc.nat({ max: 11 })
const variant = fc.constantFrom(...VARIANTS)
const isWhole = fc.boolean()
const search = fc.option(fc.constantFrom(...SEARCHES), { nil: undefined })
/** Few, so that the same asset gets several versions. */
const asset = fc.nat({ max: 2 })
const version = fc.integer({ min: 1, max: 3 })
const someUploads = fc.uniqueArray(asset, { minLength: 1, maxLength: 3 })
const content = fc.integer({ min: 1, max: 9 })

const importProducts = fc.record({
  kind: is('import'),
  variants: fc.uniqueArray(variant, { minLength: 1, maxLength: VARIANTS.length }),
  // Without a vendor, the stored one is kept.
  vendor: fc.option(fc.constantFrom(...VENDORS), { nil: undefined }),
})
const someTags = fc.uniqueArray(fc.constantFrom(...TAGS), { minLength: 1, maxLength: 2 })
const bulkTag = fc.record({
  kind: is('bulkTag'),
  uploads: someUploads,
  tags: someTags,
  isRemoval: fc.boolean(),
})
const retag = (index: fc.Arbitrary<number>) =>
  fc.record({
    kind: is('retag'),
    upload: index,
    tags: fc.oneof(someTags, fc.constant<string[]>([])),
  })
const storeLink = fc.record({ kind: is('storeLink'), name: fc.constantFrom(...FILE_NAMES) })
const rename = (index: fc.Arbitrary<number>) =>
  fc.record({
    kind: is('rename'),
    upload: index,
    name: fc.constantFrom(...FILE_NAMES),
    path: fc.constantFrom(...PATHS, null),
  })

const beginBulk = fc.record({
  kind: is('beginBulk'),
  action: fc.constantFrom<BulkJobAction>('delete', 'purge', 'restore', 'tag', 'move'),
  uploads: someUploads,
})

/** With these weights, most uploads reach a later state than `uploading`. */
const command: fc.Arbitrary<Command> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: is('sign'), size: fc.nat({ max: MAX_FILE_SIZE }) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: is('sign'),
      size: fc.nat({ max: MAX_FILE_SIZE }),
      byToken: fc.constant(true),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: is('sign'),
      size: fc.integer({ min: MAX_FILE_SIZE, max: 3 * MAX_FILE_SIZE }),
      minSize: fc.nat({ max: MAX_FILE_SIZE }),
      byToken: fc.boolean(),
    }),
  },
  { weight: 6, arbitrary: fc.record({ kind: is('putAll'), upload, content }) },
  {
    weight: 5,
    arbitrary: fc.record({ kind: is('put'), upload, part: fc.nat({ max: 3 }), content }),
  },
  {
    weight: 8,
    arbitrary: fc.record({
      kind: is('complete'),
      upload,
      etags: fc.constantFrom('none', 'none', 'known', 'known', 'wrong'),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: is('cancel'), upload }) },
  { weight: 3, arbitrary: fc.record({ kind: is('resume'), upload }) },
  {
    weight: 3,
    arbitrary: fc.record({ kind: is('resize'), upload, size: fc.nat({ max: MAX_FILE_SIZE }) }),
  },
  { weight: 4, arbitrary: fc.record({ kind: is('delete'), upload }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: is('delete'), upload, isPermanent: fc.constant(true) }),
  },
  { weight: 4, arbitrary: fc.record({ kind: is('restoreAsset'), upload }) },
  { weight: 1, arbitrary: fc.record({ kind: is('bulkDelete'), uploads: someUploads }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: is('bulkDelete'),
      uploads: someUploads,
      isPermanent: fc.constant(true),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: is('bulkRestore'), uploads: someUploads }) },
  { weight: 1, arbitrary: fc.record({ kind: is('deleteAll') }) },
  { weight: 2, arbitrary: fc.record({ kind: is('beginDeleteAll') }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: is('job'), name: fc.constant('continueDeletions' as const) }),
  },
  { weight: 1, arbitrary: fc.record({ kind: is('emptyTrash') }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: is('bulkMove'),
      uploads: someUploads,
      path: fc.constantFrom(...PATHS, null),
    }),
  },
  { weight: 3, arbitrary: beginBulk },
  {
    weight: 3,
    arbitrary: fc.record({ kind: is('endBulk'), how: fc.constantFrom('cancel', 'undo') }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: is('job'), name: fc.constant('continueBulkJobs' as const) }),
  },
  { weight: 3, arbitrary: fc.constantFrom(...FOLDER_MOVES) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: is('job'), name: fc.constant('continueFolderMoves' as const) }),
  },
  { weight: 2, arbitrary: fc.record({ kind: is('trash') }) },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: is('replace'),
      upload: asset,
      size: fc.nat({ max: MAX_FILE_SIZE }),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      kind: is('uploadWhole'),
      size: fc.nat({ max: MAX_FILE_SIZE }),
      content,
      byToken: fc.boolean(),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: is('replaceWhole'),
      upload: asset,
      size: fc.nat({ max: MAX_FILE_SIZE }),
      content,
    }),
  },
  {
    weight: 6,
    arbitrary: fc
      .record({
        kind: is('replaceWhole'),
        upload: asset,
        size: fc.nat({ max: MAX_FILE_SIZE }),
        content,
        isRight: fc.boolean(),
      })
      .map(({ isRight, ...one }) => ({ ...one, declares: isRight ? one.content : 10 })),
  },
  { weight: 3, arbitrary: fc.record({ kind: is('restore'), upload: asset, version }) },
  { weight: 2, arbitrary: fc.record({ kind: is('deleteVersion'), upload: asset, version }) },
  { weight: 2, arbitrary: fc.record({ kind: is('versions'), upload: asset }) },
  { weight: 3, arbitrary: rename(upload) },
  { weight: 3, arbitrary: retag(upload) },
  { weight: 2, arbitrary: bulkTag },
  { weight: 2, arbitrary: fc.record({ kind: is('tags') }) },
  { weight: 4, arbitrary: fc.record({ kind: is('attach'), upload, variant, isWhole }) },
  { weight: 1, arbitrary: fc.record({ kind: is('detach'), upload, variant, isWhole }) },
  { weight: 2, arbitrary: importProducts },
  { weight: 1, arbitrary: fc.record({ kind: is('removeProduct'), variant }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: is('changePlan'),
      bytes: fc.integer({ min: 20, max: 200 }),
      assets: fc.option(fc.integer({ min: 0, max: 6 })),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: is('expire'), upload }) },
  { weight: 1, arbitrary: fc.record({ kind: is('read'), upload }) },
  { weight: 1, arbitrary: fc.record({ kind: is('download'), upload }) },
  { weight: 1, arbitrary: fc.record({ kind: is('list') }) },
  { weight: 3, arbitrary: filters.map((query) => ({ kind: 'list' as const, ...query })) },
  { weight: 2, arbitrary: fc.record({ kind: is('products'), search }) },
  { weight: 2, arbitrary: fc.record({ kind: is('groups'), search }) },
  { weight: 2, arbitrary: fc.record({ kind: is('assetGroups'), upload }) },
  { weight: 2, arbitrary: fc.record({ kind: is('uploads') }) },
  { weight: 2, arbitrary: fc.record({ kind: is('account') }) },
)

function is<const Kind extends string>(kind: Kind): fc.Arbitrary<Kind> {
  return fc.constant(kind)
}

/** Calls that change or read lists. There are few assets, so that most are attached and have a folder. */
const listCommand: fc.Arbitrary<Command> = fc.oneof(
  { weight: 2, arbitrary: fc.record({ kind: is('uploadWhole'), size: fc.constant(1), content }) },
  { weight: 1, arbitrary: fc.record({ kind: is('delete'), upload: asset }) },
  { weight: 6, arbitrary: rename(asset) },
  { weight: 4, arbitrary: retag(asset) },
  { weight: 4, arbitrary: bulkTag },
  { weight: 4, arbitrary: fc.record({ kind: is('tags') }) },
  { weight: 6, arbitrary: fc.record({ kind: is('attach'), upload: asset, variant, isWhole }) },
  { weight: 3, arbitrary: fc.record({ kind: is('detach'), upload: asset, variant, isWhole }) },
  { weight: 1, arbitrary: storeLink },
  { weight: 4, arbitrary: importProducts },
  { weight: 2, arbitrary: fc.record({ kind: is('removeProduct'), variant }) },
  { weight: 20, arbitrary: filters.map((query) => ({ kind: 'list' as const, ...query })) },
  { weight: 4, arbitrary: fc.record({ kind: is('products'), search }) },
  { weight: 4, arbitrary: fc.record({ kind: is('groups'), search }) },
  { weight: 3, arbitrary: fc.record({ kind: is('assetGroups'), upload: asset }) },
)

interface Choices {
  /** Made by several clients at the same time. */
  concurrent: fc.Arbitrary<Command>
  alone?: fc.Arbitrary<Command>[]
  /** Several batches in a row. */
  sequences?: fc.Arbitrary<Batch[]>[]
}

/** A sequence of batches. About half of them have one call, the others two to four concurrent calls. */
function batchesOf({ concurrent, alone = [], sequences = [] }: Choices): fc.Arbitrary<Batch[]> {
  const batch = fc.oneof(
    { weight: 5, arbitrary: fc.tuple(concurrent) },
    { weight: 5, arbitrary: fc.array(concurrent, { minLength: 2, maxLength: MAX_CONCURRENT }) },
    ...alone.map((one) => ({ weight: 1, arbitrary: fc.tuple(one) })),
  ) as fc.Arbitrary<Batch>
  const some = fc.oneof(
    { weight: 12, arbitrary: batch.map((one) => [one]) },
    ...sequences.map((one) => ({ weight: 1, arbitrary: one })),
  )
  return fc.array(some, { maxLength: 40, size: 'max' }).map((all) => all.flat())
}

/** Of single calls, few would undo a change that has changed something. */
const undoneBulk: fc.Arbitrary<Batch[]> = beginBulk.map((begin) => [
  ...begin.uploads.map((one): Batch => [{ kind: 'putAll', upload: one, content: 1 }]),
  ...begin.uploads.map((one): Batch => [{ kind: 'complete', upload: one, etags: 'none' }]),
  [begin],
  [{ kind: 'job', name: 'continueBulkJobs' }],
  [{ kind: 'endBulk', how: 'undo' }],
])

/** Alone, because it is not one step: it changes one file after the other. */
const compareFiles = fc.record({ kind: is('job'), name: is('computeChecksums') })

/** Alone, because its response shows the reserved size after all concurrent changes of the size. */
const resizeToEstimate = fc.record({
  kind: is('resize'),
  upload,
  size: fc.integer({ min: MAX_FILE_SIZE, max: 3 * MAX_FILE_SIZE }),
  minSize: fc.nat({ max: MAX_FILE_SIZE }),
})

export const batches = batchesOf({
  concurrent: command,
  alone: [compareFiles, resizeToEstimate],
  sequences: [undoneBulk],
})

/** Begins with all products and a file. */
export const listBatches: fc.Arbitrary<Batch[]> = batchesOf({ concurrent: listCommand }).map(
  (rest) => [
    [{ kind: 'import', variants: VARIANTS, vendor: 'Press' }],
    [{ kind: 'uploadWhole', size: 1, content: 1 }],
    ...rest,
  ],
)
