import type { AccountData } from '../database/account-data.ts'
import type { EventPage } from '../database/event-data.ts'
import type { Event } from '../domain/event.ts'
import type { Destinations } from './copy-accounts.ts'
import { type Move, MoveRefused } from './move.ts'

const PAGE = 500

/**
 * Refuses accounts of the target that have other events than the source, because two events would have the same ID.
 * Events that an interrupted run has copied are equal to those of the source.
 */
export async function refuseOtherEvents({ source, target }: Move): Promise<void> {
  for (const account of await source.database.listAccounts()) {
    const existing = await target.database.findAccount(account.name)
    if (existing === undefined) continue
    const from = source.database.of(account.id)
    const to = target.database.of(existing.id)
    for await (const { events, lastId } of eventPages(to)) {
      const first = events[0]?.id ?? lastId
      const own = await from.listEvents({ after: first - 1, limit: events.length || 1 })
      // A source without events has none to copy.
      if (own.lastId === 0) break
      const known = new Map(own.events.map((event) => [event.id, event]))
      const isSame = events.every((event) => isSameEvent(event, known.get(event.id)))
      if (isSame && lastId <= own.lastId) continue
      throw new MoveRefused(
        `the account ${account.name} of the target has events that are not in the source. Use an empty target`,
      )
    }
  }
}

function isSameEvent(one: Event, other: Event | undefined): boolean {
  return one.type === other?.type && one.createdAt.getTime() === other.createdAt.getTime()
}

/** Copies the events with their IDs, so that readers continue after the move. */
export async function copyEvents({ source }: Move, destinations: Destinations): Promise<void> {
  for (const [accountId, { data }] of destinations.accounts) {
    for await (const page of eventPages(source.database.of(accountId))) {
      const events = page.events.map((event) => translate(event, destinations.products))
      await data.importEvents({ ...page, events })
    }
  }
}

/** Yields at least one page, even if it has no events, because a page also has the counters. */
async function* eventPages(data: AccountData): AsyncIterable<EventPage> {
  let after = 0
  for (;;) {
    const page = await data.listEvents({ after, limit: PAGE })
    yield page
    after = page.events.at(-1)?.id ?? after
    if (!page.hasMore) return
  }
}

/** The same event with the product IDs of the target. */
function translate(event: Event, products: Map<string, string>): Event {
  if (event.type === 'asset.attached' || event.type === 'asset.detached') {
    const own = event.data.products.map((product) => ({
      ...product,
      id: products.get(product.id) ?? product.id,
    }))
    return { ...event, data: { ...event.data, products: own } }
  }
  if (event.type === 'product.updated' || event.type === 'product.deleted') {
    const { id } = event.data
    return { ...event, data: { ...event.data, id: products.get(id) ?? id } }
  }
  return event
}
