import { AssetFolder, ListAssetsQuery } from './asset.ts'
import { ProductReferences } from './product.ts'
import { MAX_INTEGER, Problem, type Static, Strict, Type, Uuid } from './schema.ts'
import { Tags } from './tag.ts'

/** How many assets one call can change. */
export const MAX_BULK_ASSETS = 1000

const ACTIONS = ['delete', 'restore', 'attach', 'detach', 'tag', 'untag', 'move'] as const

/** How many assets one call with a filter can change. */
export const MAX_FILTERED_ASSETS = 2_000

const { search, filename, type, attached, path, below, trashed, sku, product_id, tag } =
  ListAssetsQuery.properties

/** The filters of the list of assets. */
export const AssetFilter = Type.Object(
  { search, filename, type, attached, path, below, trashed, sku, product_id, tag },
  { title: 'AssetFilter', ...Strict, ...Problem('must be an object with filters of GET /assets') },
)
export type AssetFilter = Static<typeof AssetFilter>

export const BulkRequest = Type.Object(
  {
    action: Type.Enum([...ACTIONS], {
      type: 'string',
      ...Problem('must be delete, restore, attach, detach, tag, untag or move'),
    }),
    ids: Type.Optional(
      Type.Array(Uuid(), {
        minItems: 1,
        maxItems: MAX_BULK_ASSETS,
        description: 'The IDs of the assets. Required without `filter`',
        ...Problem(`must be an array of 1 to ${MAX_BULK_ASSETS} asset IDs`),
      }),
    ),
    filter: Type.Optional(AssetFilter),
    expected: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: MAX_INTEGER,
        description:
          'Required with `filter`: the number of assets that it matched when the user decided, `meta.total` of the list. If another number matches now, by more than 1 % and more than one asset, the call returns 409 and changes nothing',
        ...Problem('must be the number of assets that the filter matched, as a whole number'),
      }),
    ),
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
            'Only with `filter`, and for `tag` and `untag`: the IDs of the assets that the call has changed, without those that were already in the requested state',
        }),
      ),
      attachments: Type.Optional(
        Type.Array(
          Type.Object({
            id: Type.String({ description: 'The ID of the asset' }),
            products: Type.Array(Type.String(), { description: 'The IDs of the products' }),
          }),
          {
            description:
              'Only with `filter`, for `attach` and `detach`: what was attached or detached. The opposite action for exactly these undoes the call',
          },
        ),
      ),
    }),
  },
  { title: 'BulkResponse' },
)
export type BulkResponse = Static<typeof BulkResponse>
