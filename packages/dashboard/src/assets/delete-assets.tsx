import { Alert, List, Text } from '@mantine/core'
import type { Asset } from '@stowage/client'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { ConfirmDialog } from '../components/dialogs.tsx'
import { notify } from '../components/notifications.tsx'
import { Name } from '../components/values.tsx'
import { countText, nameWithFolder, numberText } from '../format.ts'
import { changedBy } from '../query-keys.ts'
import { useHasTrash } from '../session/account.tsx'
import { useClient } from '../session/session.tsx'
import { useChangeAll } from './change-all.ts'
import { assetsText, deleteOrRestore } from './change-assets.ts'
import { productNames } from './product-names.ts'
import type { AllMatches } from './selection.tsx'
import { useRestoreAssets } from './use-asset-changes.ts'

interface DeleteAssetsProps {
  assets: readonly Asset[]
  isOpen: boolean
  onClose(): void
  onDone(): void
}

/** Lists the products that the assets are attached to. With a trash, the message offers to undo the deletion. */
export function DeleteAssets({ assets, isOpen, onClose, onDone }: DeleteAssetsProps) {
  const client = useClient()
  const queries = useQueryClient()
  const { mutate: restore } = useRestoreAssets()
  const hasTrash = useHasTrash()
  const products = productNames(assets.flatMap((asset) => asset.products ?? []))
  const isSingle = assets.length === 1
  const subject = isSingle ? 'this asset' : countText(assets.length, 'asset')
  const deletion = useMutation({
    mutationFn: (signal: AbortSignal) => deleteOrRestore(client, 'delete', { assets, signal }),
    onSuccess() {
      notify({
        message: `${assetsText(assets)} deleted`,
        about: [...assets.map(({ id }) => id), 'trash'],
        ...(hasTrash && { action: { label: 'Undo', run: () => restore(assets) } }),
      })
      onClose()
      onDone()
    },
    onSettled: () => queries.invalidateQueries(changedBy('asset.deleted')),
  })
  return (
    <ConfirmDialog
      isOpen={isOpen}
      title={`Delete ${subject}?`}
      confirmLabel={isSingle ? 'Delete asset' : `Delete ${subject}`}
      errorTitle={isSingle ? 'Could not delete the asset' : 'Could not delete all assets'}
      mutation={deletion}
      onConfirm={deletion.mutate}
      onClose={onClose}
    >
      <Names names={assets.map(nameWithFolder)} />
      {products.length > 0 && (
        <Alert color="orange" title={`Attached to ${countText(products.length, 'product')}`}>
          <Text size="sm" mb={4}>
            Buyers of {products.length === 1 ? 'this product' : 'these products'} will no longer
            receive {isSingle ? 'this asset' : 'these assets'}:
          </Text>
          <Names names={products} />
        </Alert>
      )}
      <Text size="sm" c="dimmed">
        {hasTrash
          ? `You can restore ${isSingle ? 'it' : 'them'} from the trash for a limited time. The storage becomes available immediately.`
          : `${isSingle ? 'It' : 'They'} will be deleted forever, including older versions. This cannot be undone.`}
      </Text>
    </ConfirmDialog>
  )
}

interface DeleteAllProps extends Omit<DeleteAssetsProps, 'assets'> {
  all: AllMatches
  /** They are in the trash, and are removed. */
  isPermanent?: boolean
}

/** Deletes all assets that match the search and the filters. */
export function DeleteAll({ all, isPermanent = false, isOpen, onClose, onDone }: DeleteAllProps) {
  const hasTrash = useHasTrash()
  const subject = countText(all.total, 'asset')
  const forever = isPermanent ? ' forever' : ''
  const deletion = useChangeAll({
    onDone() {
      onClose()
      onDone()
    },
  })
  const change = { action: 'delete', ...(isPermanent && { permanent: true }) } as const
  return (
    <ConfirmDialog
      isOpen={isOpen}
      title={`Delete ${subject}${forever}?`}
      confirmLabel={`Delete ${subject}${forever}`}
      errorTitle="Could not delete the assets"
      mutation={deletion}
      onConfirm={(signal) => deletion.mutate({ all, change, signal })}
      onClose={onClose}
    >
      <Text size="sm">
        These are all assets that match the search and the filters, on all pages of the list.
      </Text>
      <Text size="sm" c="dimmed">
        {hasTrash && !isPermanent
          ? 'Buyers of the products that they are attached to will no longer receive them. You can restore them from the trash for a limited time.'
          : 'They will be deleted forever, including older versions. This cannot be undone.'}
      </Text>
    </ConfirmDialog>
  )
}

const MAX_NAMES = 10

/** Truncates long names to the width of the dialog. */
const LIST_STYLES = {
  item: { listStylePosition: 'outside', marginInlineStart: '1.2em' },
  itemWrapper: { display: 'block' },
  itemLabel: { display: 'block' },
} as const

/** A list of names. Of many, only the first ones are shown. */
export function Names({ names }: { names: readonly string[] }) {
  const more = names.length - MAX_NAMES
  return (
    <List size="sm" styles={LIST_STYLES}>
      {names.slice(0, MAX_NAMES).map((name, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: two assets may have the same name
        <List.Item key={index}>
          <Name fw={500}>{name}</Name>
        </List.Item>
      ))}
      {more > 0 && <List.Item>and {numberText(more)} more</List.Item>}
    </List>
  )
}
