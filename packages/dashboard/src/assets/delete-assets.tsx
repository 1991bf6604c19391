import { Alert, List, Text } from '@mantine/core'
import { type Asset, isStowageError } from '@stowage/client'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Confirm } from '../components/confirm-dialog.tsx'
import { Name } from '../components/name.tsx'
import { showNotice } from '../components/notify.ts'
import { countText } from '../format/count-text.ts'
import { useClient } from '../session/session.tsx'
import { inTurns } from './for-each-asset.ts'
import { productNames } from './product-names.ts'

interface Props {
  assets: readonly Asset[]
  isOpen: boolean
  onClose(): void
  onDone(): void
}

/** Names what else is touched: the products that lose them. */
export function DeleteAssets({ assets, isOpen, onClose, onDone }: Props) {
  const client = useClient()
  const queries = useQueryClient()
  const products = productNames(assets.flatMap((asset) => asset.products ?? []))
  const isOne = assets.length === 1
  const what = isOne ? 'this asset' : countText(assets.length, 'asset')
  const deletion = useMutation({
    mutationFn: (signal: AbortSignal) =>
      inTurns(assets, ({ id }) => client.delete(id, { signal }).catch(unlessGone)),
    onSuccess() {
      showNotice({ message: `${countText(assets.length, 'asset')} deleted` })
      onClose()
      onDone()
    },
    onSettled: () => queries.invalidateQueries(),
  })
  return (
    <Confirm
      isOpen={isOpen}
      title={`Delete ${what}?`}
      verb={`Delete ${what}`}
      failure={isOne ? 'It could not be deleted' : 'Not all could be deleted'}
      outcome={deletion}
      onConfirm={deletion.mutate}
      onClose={onClose}
    >
      <Names names={assets.map(({ filename }) => filename)} />
      {products.length > 0 && (
        <Alert color="orange" title={`Linked to ${countText(products.length, 'product')}`}>
          <Text size="sm" mb={4}>
            Buyers of these get {isOne ? 'it' : 'them'} no more:
          </Text>
          <Names names={products} />
        </Alert>
      )}
      <Text size="sm" c="dimmed">
        This can’t be undone. The storage that {isOne ? 'it takes' : 'they take'} is free at once.
      </Text>
    </Confirm>
  )
}

/** Of several some may be gone already: by somebody else, or by the try before this one. */
function unlessGone(error: unknown): void {
  if (!isStowageError(error, 'not_found')) throw error
}

const MOST_NAMES = 10

/** So that an endless name ends where the dialog does. */
const LIST = {
  item: { listStylePosition: 'outside', marginInlineStart: '1.2em' },
  itemWrapper: { display: 'block' },
  itemLabel: { display: 'block' },
} as const

function Names({ names }: { names: readonly string[] }) {
  const more = names.length - MOST_NAMES
  return (
    <List size="sm" styles={LIST}>
      {names.slice(0, MOST_NAMES).map((name, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: two assets may have the same name
        <List.Item key={index}>
          <Name fw={500}>{name}</Name>
        </List.Item>
      ))}
      {more > 0 && <List.Item>and {countText(more, 'more', 'more')}</List.Item>}
    </List>
  )
}
