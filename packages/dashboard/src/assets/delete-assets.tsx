import { Alert, List, Text } from '@mantine/core'
import type { Asset, AssetFilter } from '@stowage/client'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { ConfirmDialog } from '../components/dialogs.tsx'
import { notify } from '../components/notifications.tsx'
import { Name } from '../components/values.tsx'
import { nameWithFolder } from '../format.ts'
import { changes as texts } from '../i18n/en/changes.ts'
import { common } from '../i18n/en/common.ts'
import { fill, plural } from '../i18n/texts.ts'
import { changedBy, queryKeys } from '../query-keys.ts'
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
  const deletion = useMutation({
    mutationFn: (signal: AbortSignal) => deleteOrRestore(client, 'delete', { assets, signal }),
    onSuccess() {
      notify({
        message: fill(texts.deleted, { assets: assetsText(assets) }),
        about: [...assets.map(({ id }) => id), 'trash'],
        ...(hasTrash && { action: { label: common.undo, run: () => restore(assets) } }),
      })
      onClose()
      onDone()
    },
    onSettled: () => queries.invalidateQueries(changedBy('asset.deleted')),
  })
  return (
    <ConfirmDialog
      isOpen={isOpen}
      title={isSingle ? texts.deleteQuestion : plural(texts.deleteManyQuestion, assets.length)}
      confirmLabel={isSingle ? texts.deleteOne : plural(texts.deleteMany, assets.length)}
      errorTitle={isSingle ? texts.deleteFailed : texts.deleteManyFailed}
      mutation={deletion}
      onConfirm={deletion.mutate}
      onClose={onClose}
    >
      <Names names={assets.map(nameWithFolder)} />
      {products.length > 0 && (
        <Alert color="orange" title={plural(texts.attachedToTitle, products.length)}>
          <Text size="sm" mb={4}>
            {plural(isSingle ? texts.buyersLoseOne : texts.buyersLoseMany, products.length)}
          </Text>
          <Names names={products} />
        </Alert>
      )}
      <Text size="sm" c="dimmed">
        {hasTrash
          ? texts[isSingle ? 'trashOneHint' : 'trashManyHint']
          : texts[isSingle ? 'foreverOneHint' : 'foreverManyHint']}
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
  const hasAttached = useHasAttached(all.filter, isOpen && hasTrash && !isPermanent)
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
      title={plural(
        isPermanent ? texts.deleteForeverQuestion : texts.deleteManyQuestion,
        all.total,
      )}
      confirmLabel={plural(isPermanent ? texts.deleteForever : texts.deleteMany, all.total)}
      errorTitle={texts.deleteAllFailed}
      mutation={deletion}
      onConfirm={(signal) => deletion.mutate({ all, change, signal })}
      onClose={onClose}
    >
      <Text size="sm">{texts.matchesHint}</Text>
      <Text size="sm" c="dimmed">
        {hasTrash && !isPermanent
          ? texts[hasAttached ? 'trashAllHint' : 'trashManyHint']
          : texts.foreverManyHint}
      </Text>
    </ConfirmDialog>
  )
}

/** Whether buyers may receive any of the matches. Assumed until it is known. */
function useHasAttached(filter: AssetFilter, isEnabled: boolean): boolean {
  const client = useClient()
  const attached = { ...filter, attached: true, limit: 1 }
  const { data } = useQuery({
    queryKey: queryKeys.assetList(attached),
    queryFn: ({ signal }) => client.assets({ ...attached, signal }).page(),
    enabled: isEnabled && filter.attached !== false,
  })
  return filter.attached !== false && data?.data.length !== 0
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
      {more > 0 && <List.Item>{fill(texts.more, { count: more })}</List.Item>}
    </List>
  )
}
