import { Alert, Text } from '@mantine/core'
import type { Order } from '@stowage/client'
import { ActionButton } from '../components/action-button.tsx'
import { useFocusHandover } from '../components/focus.ts'
import { notify } from '../components/notifications.tsx'
import { DateTime } from '../components/values.tsx'
import { orders as texts } from '../i18n/en/orders.ts'
import { fill, rich } from '../i18n/texts.ts'
import { RequireScope } from '../session/account.tsx'
import { useClient } from '../session/session.tsx'
import { useOrderAction, useOrderFiles } from './use-orders.ts'

/** How many downloads of each file one click allows in addition. */
const EXTRA = 3

interface MoreRequestedProps {
  order: Order
  request: NonNullable<Order['more_requested']>
}

/** The buyer has used up the downloads of a file, and has asked for more. */
export function MoreRequested({ order, request }: MoreRequestedProps) {
  const { id, max_downloads: limit } = order
  const client = useClient()
  const alert = useFocusHandover<HTMLDivElement>()
  const files = useOrderFiles(id).data
  const allow = useOrderAction(
    texts.changeFailed,
    async () => {
      const before = limit ?? (await client.branding()).max_downloads
      // Without a limit, there is nothing to raise: any change answers the request.
      const max_downloads = before === null ? null : before + EXTRA
      return client.changeOrder(id, { max_downloads })
    },
    () => notify({ message: texts.moreAllowed }),
  )
  const file = files?.find(({ asset }) => asset.id === request.asset_id)?.asset.filename
  return (
    <Alert ref={alert} color="orange" title={texts.moreTitle}>
      <Text size="sm" mb="sm">
        {rich(texts.moreText, {
          file: <bdi dir="auto">{file ?? texts.file}</bdi>,
          date: <DateTime value={request.requested_at} />,
        })}
      </Text>
      <RequireScope scope="write">
        <ActionButton isBusy={allow.isPending} onClick={() => allow.mutate(undefined)}>
          {fill(texts.allowMore, { count: EXTRA })}
        </ActionButton>
      </RequireScope>
    </Alert>
  )
}
