import { AssetFolder } from './asset.ts'
import { ProductReferences } from './product.ts'
import { Problem, type Static, Strict, Type, Uuid } from './schema.ts'
import { Tags } from './tag.ts'

/** How many assets one call can change. */
export const MAX_BULK_ASSETS = 1000

const ACTIONS = ['delete', 'restore', 'attach', 'detach', 'tag', 'untag', 'move'] as const

export const BulkRequest = Type.Object(
  {
    action: Type.Enum([...ACTIONS], {
      type: 'string',
      ...Problem('must be delete, restore, attach, detach, tag, untag or move'),
    }),
    ids: Type.Array(Uuid(), {
      minItems: 1,
      maxItems: MAX_BULK_ASSETS,
      description: 'The IDs of the assets',
      ...Problem(`must be an array of 1 to ${MAX_BULK_ASSETS} asset IDs`),
    }),
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
            'Only for `tag` and `untag`: the IDs of the assets whose tags are different now',
        }),
      ),
    }),
  },
  { title: 'BulkResponse' },
)
export type BulkResponse = Static<typeof BulkResponse>
