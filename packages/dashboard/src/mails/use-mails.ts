import type { Mail } from '@stowage/client'
import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { notify } from '../components/notifications.tsx'
import { isUnreachable } from '../components/reachable.ts'
import { errorText } from '../format.ts'
import { changedBy, queryKeys } from '../query-keys.ts'
import { useClient } from '../session/session.tsx'
import { type MailQuery, mailFilters } from './mail-query.ts'

const PER_PAGE = 50
const WATCH_MS = 2_000
/** A mail whose next attempt is later is not watched. */
const SOON_MS = 10_000

/** A mail that is being sent. Its result may be that it is not sent, of which there is no event. */
function isUnderWay({ state, next_attempt_at: next }: Mail): boolean {
  if (state === 'sending') return true
  return state === 'queued' && next !== null && Date.parse(next) < Date.now() + SOON_MS
}

/** The interval of a query, which also recovers from failures. */
const watch = (error: unknown, isChanging: boolean | undefined) =>
  (isChanging === true || isUnreachable(error)) && WATCH_MS

/** The previous page stays until the next one is loaded. */
export function useMailPage(query: Partial<MailQuery>, limit = PER_PAGE) {
  const client = useClient()
  return useQuery({
    queryKey: queryKeys.mailList({ ...query, limit }),
    queryFn: ({ signal }) =>
      client.mails({ ...mailFilters(query), limit, signal }).page(query.page ?? 1),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => watch(state.error, state.data?.data.some(isUnderWay)),
  })
}

export function useMail(id: string) {
  const client = useClient()
  return useQuery({
    queryKey: queryKeys.mail(id),
    queryFn: ({ signal }) => client.mail(id, { signal }),
    refetchInterval: ({ state }) => watch(state.error, state.data && isUnderWay(state.data)),
  })
}

export function useMailTexts() {
  const client = useClient()
  return useQuery({
    queryKey: queryKeys.mailTexts(),
    queryFn: ({ signal }) => client.mailTexts({ signal }),
  })
}

/** The notices of the versions of a file. While mails are being queued, there are no events. */
export function useNotices(assetId: string) {
  const client = useClient()
  return useQuery({
    queryKey: queryKeys.notices(assetId),
    queryFn: ({ signal }) => client.notices(assetId, { signal }),
    refetchInterval: ({ state }) =>
      watch(
        state.error,
        state.data?.some((notice) => notice.state === 'sending'),
      ),
  })
}

/** Sends mails. A message shows the failure, with this title. Undefined: its dialog does. */
export function useSending<Result>(
  errorTitle: string | undefined,
  send: () => Promise<Result>,
  onDone: (result: Result) => void,
) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: send,
    onError(error) {
      if (errorTitle === undefined) return
      notify({ isError: true, title: errorTitle, message: errorText(error) })
    },
    onSuccess: onDone,
    onSettled: () => queries.invalidateQueries(changedBy('mail.sent')),
  })
}
