import { Badge } from '@mantine/core'
import type { Webhook } from '@stowage/client'
import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { notify } from '../components/notifications.tsx'
import { errorText } from '../format.ts'
import { webhooks as texts } from '../i18n/en/webhooks.ts'
import { queryKeys } from '../query-keys.ts'
import { useClient } from '../session/session.tsx'

const DELIVERIES_PER_PAGE = 25
/** Deliveries are added and end in the background, and so does the state of the webhook change. */
const REFETCH_MS = 5_000
const REFETCH_PENDING_MS = 2_000

export function useWebhooks() {
  const client = useClient()
  return useQuery({
    queryKey: queryKeys.webhooks(),
    queryFn: ({ signal }) => client.webhooks({ signal }),
  })
}

export function useWebhook(id: string) {
  const client = useClient()
  return useQuery({
    queryKey: queryKeys.webhook(id),
    queryFn: ({ signal }) => client.webhook(id, { signal }),
    refetchInterval: REFETCH_MS,
  })
}

export function useDeliveries(id: string, page: number) {
  const client = useClient()
  return useQuery({
    queryKey: queryKeys.deliveries(id, page),
    queryFn: ({ signal }) =>
      client.deliveries(id, { limit: DELIVERIES_PER_PAGE, signal }).page(page),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) =>
      state.data?.data.some(({ status }) => status === 'pending') ? REFETCH_PENDING_MS : REFETCH_MS,
  })
}

/** A change of webhooks or their deliveries. An error is shown in the corner of the window. */
export function useWebhookAction<Input, Result>(
  title: string,
  run: (input: Input) => Promise<Result>,
  onDone: (result: Result) => void = () => {},
) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: run,
    // A secret must not stay in the cache.
    gcTime: 0,
    onError: (error) => notify({ title, message: errorText(error), isError: true }),
    async onSuccess(result) {
      onDone(result)
      await queries.invalidateQueries({ queryKey: queryKeys.webhooks() })
    },
  })
}

type Facts = Pick<Webhook, 'enabled' | 'failing_since'>

export function WebhookState({ webhook }: { webhook: Facts }) {
  const [color, text] = stateOf(webhook)
  return (
    <Badge variant="light" color={color} miw="fit-content">
      {text}
    </Badge>
  )
}

function stateOf({ enabled, failing_since }: Facts): [color: string, text: string] {
  if (!enabled) return ['red', texts.disabled]
  return failing_since === null ? ['green', texts.enabled] : ['orange', texts.failing]
}
