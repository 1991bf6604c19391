import { EVENT_DATA, EVENTS, type EventType, endpoints } from '@stowage/protocol'

/** The parts of a schema that the page shows. */
interface Schema {
  type?: string | string[]
  enum?: unknown[]
  items?: Schema
  description?: string
  properties?: Record<string, Schema>
  required?: string[]
}

type DataName = keyof typeof EVENT_DATA

/** Returns docs/events.md: every type of event, and the fields of its data. */
export function eventsPage(): string {
  return `${[INTRODUCTION, SEARCH, STREAM, typesTable(), '## Data', ...Object.keys(EVENT_DATA).map(dataSection)].join('\n\n')}\n`
}

const { example } = endpoints.listEvents.success

const INTRODUCTION = `# Events

<!-- Generated from packages/protocol/src/event.ts: npm run docs -->

Every change of the uploads, assets, products, orders, API keys, upload tokens and webhooks of an account writes an event, in the
transaction of the change: an event exists if and only if its change was made. With events, a shop learns that a file is
ready, replaced or deleted. They are also the audit log of the account.

\`GET /events\` returns them, the oldest first:

\`\`\`sh
curl -H "Authorization: Bearer $KEY" "$STOWAGE_URL/api/v1/events?after=41873204&limit=1000"
\`\`\`

\`\`\`json
${JSON.stringify(example, null, 2)}
\`\`\`

- \`id\` increases in the order of the changes of the account. A reader stores the last ID that it has processed and
  continues after it: it misses no change and sees none twice. The last six digits of an ID depend on the time of the
  event. The digits before them count the events of the account, without gaps.
- \`type\` filters by type: \`type=asset.ready,asset.replaced\`.
- \`order=desc\` returns the newest events first. For older ones, pass \`meta.next_before\` as \`before\`.
- Events of API keys, upload tokens and webhooks (\`key.…\`, \`token.…\`, \`webhook.…\`) require a key with the scope
  \`manage\`. Other keys do not get them, and see gaps in the count. No event contains a secret or a token.
- \`actor\` is who made the change: \`key\` (with its ID and name), \`upload_token\` (with its ID, and the name of the key that
  created it), \`job\` (a background job, with its name), \`operator\` (a command on the server), \`buyer\`
  (somebody with the URL of a download page, with the ID of the order), or \`anonymous\` (the service requires no key).
- \`call\` identifies the call that made the change, if one call can change many resources, such as \`POST /assets/bulk\`:
  all of its events have the same value. Otherwise it is null.
- \`data\` is the resource right after the change, with the fields listed under [Data](#data), but never with
  \`removed_after\`. It does not change when the resource changes again.
- Calls that change nothing, such as a repeated call, write no event. Bulk calls write one event for each asset or product.
- Computing or verifying the SHA-256 of a file writes no event, unless the file becomes damaged, or a damaged file is
  read correctly again. So \`checksum\` is null in \`asset.ready\`: read the asset later to get it.
- Events are kept for 30 days (\`STOWAGE_EVENTS_FOR\`), up to 1 % of the plan of their account, but at least 1 GB
  (\`STOWAGE_EVENTS_SIZE\`). If events after the ID in \`after\` may have been removed, the
  response is 410 \`events_forgotten\` with \`last_id\`. List the assets and products then, and continue after \`last_id\`.
  Without \`after\`, the response starts with the oldest event that is kept.
- If the database was restored from a backup, the events after the backup are lost, and the service counts on from the
  last event of the backup. A reader that continues after a lost event gets 410 \`events_reset\` with \`last_id\`. List
  the assets and products then, and continue after \`last_id\`. A reader whose last event is in the backup continues as
  usual.
- Later versions may add types and fields. Ignore those that you do not know.`

const SEARCH = `## Who did what

These parameters of \`GET /events\` find events. They combine with each other and with \`type\`, \`after\`, \`order\`, \`before\`
and \`limit\`. A live stream refuses them.

| parameter | finds |
|---|---|
| \`actor=key\` | changes by actors of this type: \`key\`, \`upload_token\`, \`buyer\`, \`job\`, \`operator\`, \`anonymous\` |
| \`actor=01981d2c-…\` | changes by the key or the upload token with this ID |
| \`actor=shop backend\` | changes by the keys with this name, in the same case |
| \`actor=TYPE:NAME\` | changes by actors of this type with this name: \`job:empty_trash\`, \`upload_token:shop backend\` (tokens that this key created), \`key:job\` (a key whose name is a type or looks like an ID) |
| \`search=intro pdf\` | events with all of these words in the names that \`data\` shows: the file name (also the previous one), the folder or the URL of an asset, the name, variant, SKU or vendor of a product, the name of a key, the description or origin of a webhook or an upload token. A word may be part of a longer one; case does not matter |
| \`from=2026-01-31\` | changes at this time or later |
| \`to=2026-01-31T09:30:00Z\` | changes before this time. A date includes the whole day |

Times are in ISO 8601: a date, which is in UTC, or a time with \`Z\` or an offset. This returns who deleted \`intro.pdf\`:

\`\`\`sh
curl -H "Authorization: Bearer $KEY" "$STOWAGE_URL/api/v1/events?order=desc&type=asset.deleted,asset.removed&search=intro.pdf"
stowage events --type asset.deleted --type asset.removed --search intro.pdf
\`\`\`

One call examines at most 10,000 events, the newest first with \`order=desc\`. If there are more, \`meta.has_more\` is true and
\`meta.examined_to\` is the time of the last event that it has examined. Then the page may have fewer events than \`limit\`, or
none: continue with \`meta.next_after\`, or with \`meta.next_before\` for \`order=desc\`, until \`has_more\` is false. The CLI
does so. Only events of the requested types are counted, so a search with \`type\` needs fewer calls. \`from\` and \`to\` rely
on the clock of the database: if it was set back, events close to that time may be missing.`

const STREAM = `## Live stream

With \`Accept: text/event-stream\`, \`GET /events\` sends events as they happen, as
[server-sent events](https://html.spec.whatwg.org/multipage/server-sent-events.html):

\`\`\`sh
curl -N -H "Accept: text/event-stream" -H "Authorization: Bearer $KEY" "$STOWAGE_URL/api/v1/events?type=asset.ready"
\`\`\`

\`\`\`text
retry: 1200
id: 41873204

id: 42900322
data: {"id":42900322,"type":"asset.ready",…}

\`\`\`

- A stream sends only new events. With \`after\`, or with the header \`Last-Event-ID\`, it first sends those after that ID.
- A message without \`data\` is not an event: it has the ID after which to continue. It is sent first, and then every 15
  seconds, which also keeps the connection open.
- A client that reads nothing for 30 seconds is disconnected (for 2 seconds if many clients of the account do not read). The
  stream also ends when the service restarts, and about a second after its key was revoked or has expired, or its user has signed out.
  Connect again with the last ID: nothing is lost. Browsers and the [client](client.md) do so automatically.
- On each instance, a key can have 100 open streams, an account 1,000, and all accounts together 5,000. Further streams get
  429 \`too_many_streams\`.

In code, use [\`events()\`](client-api.md) of the client, and in the CLI \`stowage events --follow\`:

\`\`\`js
for await (const event of stowage.events({ after: lastId })) console.log(event.type, event.data)
\`\`\`

\`stowage events --forward http://localhost:3000/hook\` sends new events as signed webhooks to a program on your machine.`

function typesTable(): string {
  const rows = Object.entries(EVENTS).map(
    ([type, { when, data }]) => `| \`${type}\` | ${when} | [${data}](#${data.toLowerCase()}) |`,
  )
  return ['## Types', '', '| type | when | data |', '|---|---|---|', ...rows].join('\n')
}

function dataSection(name: string): string {
  const schema = EVENT_DATA[name as DataName] as Schema
  const types = (Object.keys(EVENTS) as EventType[]).filter((type) => EVENTS[type].data === name)
  return [
    `### ${name}`,
    '',
    `The data of ${types.map((type) => `\`${type}\``).join(', ')}.`,
    '',
    '| field | type | description |',
    '|---|---|---|',
    ...fieldRows(schema),
  ].join('\n')
}

/** Fields of the API that no event has. `products` is only in the events of attaching and detaching, which require it. */
const ABSENT = ['products', 'removed_after']

function fieldRows({ properties = {}, required = [] }: Schema): string[] {
  const fields = Object.entries(properties).filter(
    ([name]) => required.includes(name) || !ABSENT.includes(name),
  )
  return fields.map(([name, field]) => {
    const optional = required.includes(name) ? '' : ', may be missing'
    return `| \`${name}\` | ${typeOf(field)}${optional} | ${field.description ?? ''} |`
  })
}

function typeOf({ type, enum: values, items }: Schema): string {
  if (values !== undefined) return values.map((value) => `\`"${value}"\``).join(' or ')
  if (type === 'array') {
    const names = Object.keys(items?.properties ?? {}).map((name) => `\`${name}\``)
    const members = names.length === 0 ? '' : ` with ${names.join(', ')}`
    return `array of ${items?.type ?? 'object'}s${members}`
  }
  return Array.isArray(type) ? type.join(' or ') : (type ?? 'object')
}
