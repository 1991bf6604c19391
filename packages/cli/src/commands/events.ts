import type { StowageEvent } from '@stowage/client'
import type { NodeClient } from '@stowage/client/node'
import { CONNECTION_HELP, CONNECTION_OPTIONS, withClient } from '../connection/with-client.ts'
import { eventLine, eventTable } from '../events/event-text.ts'
import { type Forwarding, openForwarding } from '../events/open-forwarding.ts'
import { INTERRUPTED, Interrupted, onInterrupt } from '../interrupt.ts'
import { omitUndefined } from '../omit-undefined.ts'
import { writeData, writeItem, writeMessage } from '../output.ts'
import { type Command, readCount, readOptions, refuseArguments, UsageError } from '../usage.ts'

const OPTIONS = {
  ...CONNECTION_OPTIONS,
  type: { type: 'string', multiple: true },
  after: { type: 'string' },
  limit: { type: 'string', short: 'n' },
  follow: { type: 'boolean', short: 'f' },
  forward: { type: 'string' },
  secret: { type: 'string' },
} as const

const MAX_LIMIT = 1000

export const events: Command = {
  help: `stowage events: show what happened, and who did it

Usage:
  stowage events [--type TYPE] [--after ID] [--limit N]
  stowage events --follow [--type TYPE] [--after ID]
  stowage events --forward URL [--secret SECRET] [--type TYPE] [--after ID]

  --type        only events of this type, such as asset.ready; can be repeated
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
      const list = await listEvents(client, { ...query, limit: limit ?? 25 })
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

/** Returns the events in the order in which they happened. */
async function listEvents(client: NodeClient, query: Query & { limit: number }) {
  if (query.after !== undefined) return (await client.listEvents(omitUndefined(query))).data
  const latest = await client.listEvents(omitUndefined({ ...query, order: 'desc' as const }))
  return latest.data.toReversed()
}

async function followEvents(
  client: NodeClient,
  query: Query,
  { json, forwarding }: { json: boolean; forwarding: Forwarding | undefined },
): Promise<number> {
  const interruption = onInterrupt()
  if (forwarding !== undefined) writeMessage(forwarding.description)
  try {
    for await (const event of client.events(omitUndefined({ ...query, ...interruption }))) {
      await show(event)
    }
    return 0
  } catch (error) {
    if (error instanceof Interrupted) return INTERRUPTED
    throw error
  } finally {
    interruption.close()
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
