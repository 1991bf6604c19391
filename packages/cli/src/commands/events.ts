import { createHmac, randomBytes, randomUUID } from 'node:crypto'
import type { StowageEvent } from '@stowage/client'
import type { NodeClient } from '@stowage/client/node'
import { CONNECTION_HELP, CONNECTION_OPTIONS, withClient } from '../connection.ts'
import { INTERRUPTED, Interrupted, onInterrupt } from '../interrupt.ts'
import { buyerOf, labelOf } from '../orders.ts'
import { tableWidth, writeData, writeItem, writeMessage } from '../output.ts'
import { sanitize } from '../terminal/sanitize.ts'
import { type Column, table } from '../terminal/table.ts'
import {
  type Command,
  omitUndefined,
  readCount,
  readOptions,
  refuseArguments,
  UsageError,
} from '../usage.ts'

const OPTIONS = {
  ...CONNECTION_OPTIONS,
  type: { type: 'string', multiple: true },
  after: { type: 'string' },
  actor: { type: 'string' },
  search: { type: 'string' },
  from: { type: 'string' },
  to: { type: 'string' },
  limit: { type: 'string', short: 'n' },
  follow: { type: 'boolean', short: 'f' },
  forward: { type: 'string' },
  secret: { type: 'string' },
} as const

const MAX_LIMIT = 1000

export const events: Command = {
  help: `stowage events: show what happened, and who did it

Usage:
  stowage events [--type TYPE] [--actor WHO] [--search WORDS] [--from TIME] [--to TIME]
                 [--after ID] [--limit N]
  stowage events --follow [--type TYPE] [--after ID]
  stowage events --forward URL [--secret SECRET] [--type TYPE] [--after ID]

  --type        only events of this type, such as asset.ready; can be repeated
  --actor       only changes by this actor: a type (key, upload_token, buyer, job, operator,
                anonymous), the ID or the name of a key, or TYPE:NAME such as job:empty_trash
  --search      only events with these words in the names that they show: of a file (also the
                previous name), a folder, a URL, a product, a SKU, a key
  --from        only changes at this time or later: 2026-01-31, or 2026-01-31T09:30:00Z
  --to          only changes before this time; a date includes the whole day
  --after       the events after this ID, oldest first (default: the latest events)
  -n, --limit   the maximum number of events, up to ${MAX_LIMIT} (default: 25)
  -f, --follow  show new events as they happen, until Ctrl-C. After a failure of the connection it
                continues without losing any
  --forward     send new events to this URL as signed webhooks, to test a receiver on this machine.
                Failed requests are not retried
  --secret      sign with this secret, whsec_…, instead of a new one
${CONNECTION_HELP}
  --json        a JSON array of events; with --follow and --forward, one event per line

Times are in UTC.

Examples:
  stowage events --type asset.deleted --search intro.pdf
  stowage events --type key.created --type key.revoked
  stowage events --follow --json | jq -r .data.filename
  stowage events --forward http://localhost:3000/hook
`,
  async run(commandLine) {
    const { values, positionals } = readOptions(commandLine, OPTIONS)
    refuseArguments(positionals)
    const { follow = false, forward, secret, json = false } = values
    const isEndless = follow || forward !== undefined
    const limit = readCount(values.limit, '--limit')
    const { actor, search, from, to } = values
    const filters = { actor, search, from, to }
    for (const [name, value] of Object.entries(filters)) {
      if (value === '') throw new UsageError(`--${name}: must not be empty.`)
      if (isEndless && value !== undefined)
        throw new UsageError(`--${name} does not apply to --follow and --forward.`)
    }
    if (isEndless && limit !== undefined)
      throw new UsageError('--limit does not apply to --follow and --forward.')
    if (limit !== undefined && limit > MAX_LIMIT)
      throw new UsageError(`--limit ${limit}: must be at most ${MAX_LIMIT}.`)
    if (secret !== undefined && forward === undefined)
      throw new UsageError('--secret requires --forward.')
    const query = { type: values.type?.join(','), after: readEventId(values.after) }
    const forwarding = forward === undefined ? undefined : openForwarding(forward, secret)
    return withClient(values, async (client) => {
      if (isEndless) return followEvents(client, query, { json, forwarding })
      const list = await listEvents(client, { ...query, ...filters, limit: limit ?? 25 })
      if (list.length === 0 && !json) writeMessage('No events.')
      else writeData(list, { json, text: eventTable(list) })
      return 0
    })
  },
}

interface Query {
  type: string | undefined
  after: number | undefined
}

interface ListQuery extends Query, Record<'actor' | 'search' | 'from' | 'to', string | undefined> {
  limit: number
}

/** Returns the events in the order in which they happened: those after an ID, or the latest ones. */
async function listEvents(client: NodeClient, query: ListQuery): Promise<StowageEvent[]> {
  const order = query.after === undefined ? 'desc' : 'asc'
  const events: StowageEvent[] = []
  let { after } = query
  let before: number | undefined
  for (;;) {
    const limit = query.limit - events.length
    const page = omitUndefined({ ...query, after, before, order, limit } as const)
    const { data, meta } = await client.listEvents(page)
    events.push(...data)
    // A call that searches examines a limited number of events, and may return fewer than there are.
    if (!meta.has_more || events.length >= query.limit) break
    if (order === 'asc') after = meta.next_after
    else before = meta.next_before
  }
  return order === 'asc' ? events : events.reverse()
}

async function followEvents(
  client: NodeClient,
  query: Query,
  { json, forwarding }: { json: boolean; forwarding: Forwarding | undefined },
): Promise<number> {
  const { signal, close } = onInterrupt()
  if (forwarding !== undefined) writeMessage(forwarding.description)
  try {
    for await (const event of client.events(omitUndefined({ ...query, signal }))) {
      await show(event)
    }
    return 0
  } catch (error) {
    if (error instanceof Interrupted) return INTERRUPTED
    throw error
  } finally {
    close()
  }

  async function show(event: StowageEvent): Promise<void> {
    const result = await forwarding?.forward(event)
    const text = result === undefined ? eventLine(event) : `${result}  ${eventLine(event)}`
    writeItem(event, { json, text })
    if (json && result !== undefined) writeMessage(`${result}  ${event.id}`)
  }
}

/** An ID that the service returned; 0 for all events. */
function readEventId(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const id = Number(text)
  if (Number.isSafeInteger(id) && id >= 0) return id
  throw new UsageError(`--after ${text}: must be the ID of an event, such as 42900322.`)
}

const COLUMNS: Column[] = [
  { head: 'ID', align: 'right', dropOrder: 2 },
  { head: 'TIME', dropOrder: 3 },
  { head: 'TYPE' },
  { head: 'BY', minWidth: 10, dropOrder: 1 },
  { head: 'NAME', minWidth: 16 },
]

function eventTable(events: StowageEvent[]): string {
  return table(COLUMNS, events.map(cellsOf), { columns: tableWidth() })
}

/** The widths of ID, TIME, TYPE and BY. Every time and type fits, and most IDs and actors. */
const WIDTHS = [10, 19, 19, 16]

/** Formats one event, in the columns of the table but with fixed widths. */
function eventLine(event: StowageEvent): string {
  const [id = '', ...others] = cellsOf(event).map(sanitize)
  const cells = [id.padStart(WIDTHS[0] ?? 0), ...others]
  return cells.map((cell, index) => cell.padEnd(WIDTHS[index] ?? 0)).join('  ')
}

function cellsOf(event: StowageEvent): string[] {
  const { id, type, created_at, actor } = event
  const time = created_at.slice(0, 19).replace('T', ' ')
  const by = actor.name === null ? actor.type : `${actor.type} ${actor.name}`
  return [String(id), time, type, by, nameOf(event)]
}

function nameOf({ type, data }: StowageEvent): string {
  if ('order_number' in data) {
    const order = [labelOf(data), buyerOf(data)].filter((part) => part !== '').join(' ')
    return 'file' in data ? `${data.file.filename} ${order}` : order || data.id
  }
  const previous = type === 'asset.updated' ? data.previous?.filename : undefined
  if ('filename' in data) return data.filename + (previous ? ` (was ${previous})` : '')
  if ('name' in data) return String(data.name)
  // A webhook, or an upload token that pages of one origin may use.
  return 'origin' in data ? String(data.origin ?? '') : ''
}

const SECRET_PREFIX = 'whsec_'
const SECRET_BYTES = 32
/** The same as for webhooks of the service. */
const FORWARD_TIMEOUT_MS = 15_000

interface Forwarding {
  /** Where events are sent, and the secret that they are signed with. */
  description: string
  /** Sends the event like a webhook. Returns the status, or why there is none. */
  forward(event: StowageEvent): Promise<string>
}

/** Throws `UsageError` for a malformed URL or secret. */
function openForwarding(url: string, secret = newSecret()): Forwarding {
  if (!/^https?:\/\//i.test(url) || !URL.canParse(url)) {
    throw new UsageError(`--forward ${url}: must be a URL, such as http://localhost:3000/hook.`)
  }
  const key = Buffer.from(secret.slice(SECRET_PREFIX.length), 'base64')
  if (!secret.startsWith(SECRET_PREFIX) || key.length === 0) {
    throw new UsageError('--secret: must start with whsec_, followed by base64.')
  }
  return {
    description: `Sending new events to ${url}. Press Ctrl-C to stop.\nThe secret of the receiver: ${secret}`,
    async forward(event) {
      // With the same fields as a webhook of the service.
      const body = JSON.stringify({ ...event, timestamp: event.created_at })
      const id = randomUUID()
      const timestamp = String(Math.floor(Date.now() / 1000))
      const content = `${id}.${timestamp}.${body}`
      const signature = createHmac('sha256', key).update(content).digest('base64')
      try {
        const response = await fetch(url, {
          method: 'POST',
          body,
          headers: {
            'Content-Type': 'application/json',
            'webhook-id': id,
            'webhook-timestamp': timestamp,
            'webhook-signature': `v1,${signature}`,
          },
          redirect: 'manual',
          signal: AbortSignal.timeout(FORWARD_TIMEOUT_MS),
        })
        await response.body?.cancel()
        return String(response.status)
      } catch (error) {
        return sanitize(reasonOf(error))
      }
    },
  }
}

function newSecret(): string {
  return SECRET_PREFIX + randomBytes(SECRET_BYTES).toString('base64')
}

/** If there is a cause, the message of fetch itself is only “fetch failed”. */
function reasonOf(error: unknown): string {
  const { cause, message } = error as Error
  if (!(cause instanceof Error)) return message
  return cause.message || ('code' in cause ? String(cause.code) : message)
}
