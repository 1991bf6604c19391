import { type Client, isStowageError, type StowageEvent } from '@stowage/client'
import { type ActivityQuery, activityFilters } from './activity-query.ts'
import { actorFilter } from './events.ts'

/** The newest events that match, as far as they have been read. */
export interface Activity {
  /** The newest first. */
  events: StowageEvent[]
  /** The last event of the account when they were read. */
  lastId: number
  /** Whether there may be older ones. */
  hasMore: boolean
  /** Older ones have lower IDs. */
  nextBefore: number
  /** The time up to which events were examined; null if all were. */
  examinedTo: string | null
}

/** Events of one type by one call, or by one action of a user. Most have one event. */
export interface ActivityRow {
  key: string
  events: [StowageEvent, ...StowageEvent[]]
  /** Whether there may be more events of the call than were read. */
  isMore: boolean
}

const ROWS_PER_PAGE = 50
const FIRST_LIMIT = 100
const LIMIT = 1000
/** Of a call that has changed more, only so many are shown in one row. */
const MAX_EVENTS = 5000
/** Each call examines 10,000 events at most. After that, the reader decides whether to search older ones. */
const MAX_CALLS = 20

/** Reads until a page has enough rows, and the last row is complete. */
export async function loadActivity(
  client: Client,
  query: ActivityQuery,
  { known, signal }: { known: Activity | undefined; signal: AbortSignal },
): Promise<Activity> {
  if (known !== undefined) {
    const updated = await update(client, query, { known, signal })
    if (updated !== undefined) return updated
  }
  const filters = { ...activityFilters(query), order: 'desc' as const }
  const events: StowageEvent[] = []
  let before = query.before
  let lastId: number | undefined
  for (let calls = 1; ; calls += 1) {
    const limit = calls === 1 ? FIRST_LIMIT : LIMIT
    const { data, meta } = await client.listEvents({
      ...filters,
      limit,
      ...(before > 0 && { before }),
      signal,
    })
    events.push(...data)
    before = meta.next_before ?? 1
    // Events that are stored between two calls are newer than all that were read.
    lastId ??= meta.last_id
    const activity = {
      events,
      lastId,
      hasMore: meta.has_more,
      nextBefore: before,
      examinedTo: meta.examined_to ?? null,
    }
    const isEnough = runsOf(events).length > ROWS_PER_PAGE || events.length >= MAX_EVENTS
    if (!meta.has_more || isEnough || calls === MAX_CALLS) return activity
  }
}

/** Events do not change, so only newer ones are read. Undefined if there are too many, or if the history was restored. */
async function update(
  client: Client,
  query: ActivityQuery,
  { known, signal }: { known: Activity; signal: AbortSignal },
): Promise<Activity | undefined> {
  const filters = activityFilters(query)
  try {
    const after = { after: known.lastId, limit: LIMIT, signal }
    const { data, meta } = await client.listEvents({ ...filters, ...after })
    if (query.before > 0) return known
    if (meta.has_more || known.events.length + data.length > MAX_EVENTS) return undefined
    return { ...known, events: [...data.reverse(), ...known.events], lastId: meta.last_id }
  } catch (error) {
    if (isStowageError(error) && /^events_/.test(error.code)) return undefined
    throw error
  }
}

/** The rows of a page, and the ID before which the next page starts; undefined if it is the last one. */
export function pageOf({ events, hasMore, nextBefore }: Activity): {
  rows: ActivityRow[]
  nextBefore: number | undefined
} {
  const callOf = callsOf(events)
  const runs = runsOf(events)
  const shown = runs.slice(0, ROWS_PER_PAGE)
  const isCutOff = shown.length < runs.length
  const rows = new Map<string, ActivityRow>()
  for (const event of shown.flat()) {
    const key = `${callOf(event) ?? event.id} ${event.type}`
    const row = rows.get(key)
    if (row === undefined) rows.set(key, { key, events: [event], isMore: false })
    else row.events.push(event)
  }
  const last = shown.at(-1)?.at(-1)
  if (!isCutOff && hasMore && last !== undefined && callOf(last) !== undefined) {
    for (const row of rows.values()) {
      if (callOf(row.events[0]) === callOf(last)) row.isMore = true
    }
  }
  const next = isCutOff ? last?.id : nextBefore
  return { rows: [...rows.values()], nextBefore: isCutOff || hasMore ? next : undefined }
}

/** Between the calls of one action of a user, which attaches each file to another product. */
const MAX_PAUSE_MS = 5000
const ATTACHMENTS: readonly string[] = ['asset.attached', 'asset.detached']

/** Identifies the call of each of the events. Those that attach or detach files one right after the other count as one. */
function callsOf(events: readonly StowageEvent[]): (event: StowageEvent) => string | undefined {
  const joined = new Map<string, string>()
  const nameOf = (event: StowageEvent) => {
    const call = callOf(event)
    return call === undefined ? undefined : (joined.get(call) ?? call)
  }
  for (const [index, event] of events.entries()) {
    const newer = events[index - 1]
    const [call, newerCall] = [callOf(event), newer && nameOf(newer)]
    if (newer === undefined || call === undefined || newerCall === undefined) continue
    if (call === newerCall || !isSameAction(newer, event)) continue
    joined.set(call, newerCall)
  }
  return nameOf
}

function isSameAction(newer: StowageEvent, older: StowageEvent): boolean {
  const pauseMs = Date.parse(newer.created_at) - Date.parse(older.created_at)
  return (
    ATTACHMENTS.includes(older.type) &&
    newer.type === older.type &&
    actorFilter(newer) === actorFilter(older) &&
    pauseMs <= MAX_PAUSE_MS
  )
}

/** Successive events of the same call. A page ends between two of them. */
function runsOf(events: readonly StowageEvent[]): StowageEvent[][] {
  const callOf = callsOf(events)
  const runs: StowageEvent[][] = []
  for (const event of events) {
    const run = runs.at(-1)
    const call = callOf(event)
    if (run?.[0] !== undefined && call !== undefined && callOf(run[0]) === call) run.push(event)
    else runs.push([event])
  }
  return runs
}

/** Identifies the call, or the work of a job on one day. */
function callOf({ call, actor, created_at }: StowageEvent): string | undefined {
  // Services of version 0.2.0 send no `call`.
  if (call) return call
  return actor.type === 'job' ? `${actor.name} ${created_at.slice(0, 10)}` : undefined
}
