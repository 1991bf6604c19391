import { Deleted } from '../account.ts'
import { AssetPath, AssetResponse } from '../asset.ts'
import { API_PREFIX, defineEndpoint } from '../endpoint.ts'
import { assetExample } from '../examples.ts'

export const restoreAsset = defineEndpoint({
  operationId: 'restoreAsset',
  methods: ['POST'],
  path: `${API_PREFIX}/assets/:id/restore`,
  tag: 'Trash',
  scope: 'write',
  summary: 'Restore an asset from the trash',
  description:
    'Restores the asset with its versions, and attaches it to those of its products that still exist. Repeating the call returns the same response.',
  params: AssetPath,
  success: {
    status: 200,
    description: 'The restored asset',
    schema: AssetResponse,
    example: { data: assetExample },
  },
  errors: ['not_found', 'storage_exceeded', 'assets_exceeded'],
})

export const emptyTrash = defineEndpoint({
  operationId: 'emptyTrash',
  methods: ['DELETE'],
  path: `${API_PREFIX}/trash`,
  tag: 'Trash',
  scope: 'write',
  summary: 'Empty the trash',
  description:
    'Removes all assets in the trash immediately. They cannot be restored. If the response is lost, for example because the service was stopped, some assets may still be in the trash: repeat the call.',
  success: {
    status: 202,
    description: 'The trash is empty',
    schema: Deleted,
    example: { deleted: true },
  },
  errors: [],
})

export const deleteAllAssets = defineEndpoint({
  operationId: 'deleteAllAssets',
  methods: ['POST'],
  path: `${API_PREFIX}/assets/deleted-all`,
  tag: 'Trash',
  scope: 'write',
  summary: 'Delete all assets',
  description:
    'Moves all assets that are ready at the time of the call to the trash. Unfinished uploads continue. Assets that become ready or are restored after the call stay. If the service is stopped meanwhile, or if there are more than 10,000 assets, the deletion continues in the background.',
  success: {
    status: 202,
    description: 'All assets are in the trash, or are being moved there',
    schema: Deleted,
    example: { deleted: true },
  },
  errors: [],
})
