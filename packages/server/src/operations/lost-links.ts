import type { LinkRequest } from '../database/mail-data.ts'
import type { Context } from './context.ts'
import { newMailOf, PAUSE_AFTER_FAILURE_MS } from './mailing.ts'

/** How many requests may wait. Further ones are dropped, so that they do not fill the database. */
const MAX_REQUESTS = 10_000
const MAX_REQUESTS_PER_RUN = 20
/** An address with orders of more shops than these gets the URLs of these. */
const MAX_ACCOUNTS = 20
/** An address gets at most one mail of a shop within this time. */
const QUIET_MS = 15 * 60_000
/** A request that fails for longer is dropped. */
const KEPT_FOR_MS = 24 * 3_600_000

/**
 * Notes that somebody wants the URLs of an address. The same statement runs for every address: whether it is known is only
 * looked up by the job, so the response does not tell. The job is not woken: its work for a known address would delay this
 * response, or the next one.
 */
export async function requestLinks(
  { database }: Context,
  request: { address: string; locale: string | null },
): Promise<void> {
  await database.addLinkRequest(request, MAX_REQUESTS)
}

/**
 * Queues a mail of each shop with orders of the address. A request that fails pauses, and the others are answered.
 */
export async function answerLinkRequests(
  context: Context,
  onFailure: (text: string, error: unknown) => void,
): Promise<void> {
  const { database } = context
  for (const request of await database.listLinkRequests(MAX_REQUESTS_PER_RUN)) {
    try {
      await answerRequest(context, request)
    } catch (error) {
      onFailure('could not answer a request for lost links; retrying later', error)
      await database.postponeLinkRequest(request.address, PAUSE_AFTER_FAILURE_MS, KEPT_FOR_MS)
    }
  }
}

async function answerRequest(context: Context, { address, locale }: LinkRequest): Promise<void> {
  const { database } = context
  const accounts = await database.listAccountsOfAddress(address, MAX_ACCOUNTS)
  const mails = accounts.map((accountId) => ({
    ...newMailOf(context, address),
    kind: 'links' as const,
    cause: 'find' as const,
    accountId,
    locale,
  }))
  await database.answerLinkRequest(address, mails, QUIET_MS)
}
