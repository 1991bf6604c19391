import { AssetFolder, ListAssetsQuery } from './asset.ts'
import { ProductReferences } from './product.ts'
import { MAX_INTEGER, Nullable, Problem, type Static, Strict, Type, Uuid } from './schema.ts'
import { Tags } from './tag.ts'

/** How many assets one call can change. */
export const MAX_BULK_ASSETS = 1000

const ACTIONS = ['delete', 'restore', 'attach', 'detach', 'tag', 'untag', 'move'] as const

/** How many assets one change of all matches of a filter can have. */
export const MAX_BULK_JOB_ASSETS = 1_000_000

/** How many products one change of all matches of a filter can have. */
export const MAX_BULK_JOB_PRODUCTS = 1_000

/** How many attachments one change of all matches of a filter can have. */
export const MAX_BULK_JOB_ATTACHMENTS = 10_000_000

const { search, filename, type, attached, path, below, trashed, sku, product_id, tag } =
  ListAssetsQuery.properties

/** The filters of the list of assets. */
export const AssetFilter = Type.Object(
  { search, filename, type, attached, path, below, trashed, sku, product_id, tag },
  { title: 'AssetFilter', ...Strict, ...Problem('must be an object with filters of GET /assets') },
)
export type AssetFilter = Static<typeof AssetFilter>

const Action = Type.Enum([...ACTIONS], {
  type: 'string',
  ...Problem('must be delete, restore, attach, detach, tag, untag or move'),
})

/** What changes, for both calls. */
const CHANGE = {
  action: Action,
  permanent: Type.Optional(
    Type.Boolean({
      description:
        'Only for `delete`. true: removes the assets immediately, even if they are in the trash',
      ...Problem('must be true or false'),
    }),
  ),
  path: Type.Optional(
    Type.Unsafe<string | null>({
      ...AssetFolder,
      description: 'Only for `move`, which requires it: the new folder. Empty or null means none',
    }),
  ),
  tags: Type.Optional(Tags),
  ...ProductReferences.properties,
}

export const BulkRequest = Type.Object(
  {
    ids: Type.Array(Uuid(), {
      minItems: 1,
      maxItems: MAX_BULK_ASSETS,
      description: 'The IDs of the assets',
      ...Problem(`must be an array of 1 to ${MAX_BULK_ASSETS} asset IDs`),
    }),
    ...CHANGE,
  },
  { title: 'BulkRequest', ...Strict },
)
export type BulkRequest = Static<typeof BulkRequest>

export const BulkResponse = Type.Object(
  {
    data: Type.Object({
      action: Type.Enum([...ACTIONS], { type: 'string' }),
      assets: Type.Integer({ description: 'Number of assets' }),
      changed: Type.Optional(
        Type.Array(Uuid(), {
          description:
            'Only for `tag` and `untag`: the IDs of the assets that the call has changed, without those that were already in the requested state',
        }),
      ),
    }),
  },
  { title: 'BulkResponse' },
)
export type BulkResponse = Static<typeof BulkResponse>

export const BulkJobRequest = Type.Object(
  {
    filter: AssetFilter,
    expected: Type.Integer({
      minimum: 0,
      maximum: MAX_INTEGER,
      description:
        'The number of assets that the filter matched when the user decided, `meta.total` of the list. If another number matches now, by more than 1 % and more than one asset, the call returns 409 and changes nothing',
      ...Problem('must be the number of assets that the filter matched, as a whole number'),
    }),
    ...CHANGE,
  },
  { title: 'BulkJobRequest', ...Strict },
)
export type BulkJobRequest = Static<typeof BulkJobRequest>

export const BulkJob = Type.Object(
  {
    id: Uuid(),
    action: Type.Enum([...ACTIONS], { type: 'string' }),
    status: Type.Enum(['running', 'finished', 'cancelled', 'failed'], {
      type: 'string',
      description: '`running`: assets remain, and are changed in the background',
    }),
    total: Type.Integer({
      description: 'The number of assets that matched when the change was requested',
      examples: [5010],
    }),
    done: Type.Integer({ description: 'How many of them were processed', examples: [5010] }),
    changed: Type.Integer({ description: 'How many of these were changed', examples: [5007] }),
    skipped: Type.Integer({
      description:
        'How many of these were not changed: they were deleted since, were in the requested state already, or would have too many tags',
      examples: [3],
    }),
    error: Type.Unsafe<{ code: string; message: string } | null>({
      type: ['object', 'null'],
      required: ['code', 'message'],
      properties: {
        code: Type.String({ examples: ['storage_exceeded'] }),
        message: Type.String(),
      },
      description: 'Only if `status` is `failed`: why the other assets were not changed',
    }),
    can_undo: Type.Boolean({
      description:
        'Whether `POST /bulk/:id/undo` can undo it. A change can be undone for 7 days, unless it is a permanent deletion',
    }),
    undoes: Nullable('string', { description: 'The ID of the change that this one undoes' }),
    undone_by: Nullable('string', { description: 'The ID of the change that undoes this one' }),
    created_at: Type.String({ format: 'date-time' }),
    finished_at: Nullable('string', { description: 'Null while `status` is `running`' }),
  },
  { title: 'BulkJob' },
)
export type BulkJob = Static<typeof BulkJob>

export const BulkJobResponse = Type.Object({ data: BulkJob }, { title: 'BulkJobResponse' })
export type BulkJobResponse = Static<typeof BulkJobResponse>

export const BulkJobList = Type.Object(
  { data: Type.Array(BulkJob, { description: 'Newest first' }) },
  { title: 'BulkJobList' },
)
export type BulkJobList = Static<typeof BulkJobList>

export const BulkJobPath = Type.Object({ id: Uuid({ description: 'The ID of the change' }) })
