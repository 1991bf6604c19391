import { EVENT_DATA } from './event-data.ts'
import { Ignored, PageQuery, SearchQuery, TextQuery } from './paging.ts'
import { MAX_INTEGER, Nullable, Problem, type Static, type TSchema, Type } from './schema.ts'

interface EventEntry {
  /** When the event is recorded. */
  when: string
  data: keyof typeof EVENT_DATA
}

/** Every type of event. docs/events.md is generated from this list. */
export const EVENTS = {
  'upload.started': {
    when: 'An upload was requested: of a new file, or of a new version.',
    data: 'EventUpload',
  },
  'upload.updated': { when: 'The declared size of an upload changed.', data: 'EventUpload' },
  'upload.cancelled': {
    when: 'An upload was cancelled, the asset that it replaces was deleted, or the storage could not start the upload.',
    data: 'EventUpload',
  },
  'upload.expired': { when: 'An unfinished upload expired.', data: 'EventUpload' },
  'asset.ready': {
    when: 'The upload of a new asset was completed, or a link was stored.',
    data: 'Asset',
  },
  'asset.updated': {
    when: 'The name or the path of an asset changed, the URL or the size of a link changed, or a damaged file was read correctly again.',
    data: 'UpdatedAsset',
  },
  'asset.replaced': {
    when: 'Another version became the current one: the upload of a new version was completed, or an older version was restored.',
    data: 'ReplacedAsset',
  },
  'asset.attached': { when: 'Products were attached to the asset.', data: 'AttachedAsset' },
  'asset.detached': {
    when: 'Products were detached from the asset. Deleting a product or an asset records no such event.',
    data: 'AttachedAsset',
  },
  'asset.deleted': {
    when: 'The asset was deleted: it was moved to the trash and detached from its products.',
    data: 'Asset',
  },
  'asset.restored': {
    when: 'The asset was restored from the trash, with those of its products that still exist.',
    data: 'Asset',
  },
  'asset.removed': {
    when: 'The asset was permanently removed. A permanent deletion of a ready asset records `asset.deleted` first.',
    data: 'Asset',
  },
  'asset.damaged': {
    when: 'The stored bytes of a version do not match its SHA-256, or cannot be read.',
    data: 'DamagedAsset',
  },
  'version.deleted': {
    when: 'An older version was deleted: by a call, or because a new version was stored and the service keeps only `keep_versions` of the account.',
    data: 'DeletedVersion',
  },
  'product.updated': { when: 'A product was added or changed.', data: 'Product' },
  'product.deleted': {
    when: 'A product was deleted. Its assets are detached.',
    data: 'Product',
  },
  'product.arranged': {
    when: 'The order of a product’s files changed.',
    data: 'ArrangedProduct',
  },
  'key.created': { when: 'An API key was created.', data: 'Key' },
  'key.revoked': { when: 'An API key was revoked.', data: 'Key' },
  'webhook.created': { when: 'A webhook was created.', data: 'EventWebhook' },
  'webhook.updated': {
    when: 'A webhook was changed, its secret was replaced, or the service disabled it because its endpoint fails.',
    data: 'EventWebhook',
  },
  'webhook.deleted': { when: 'A webhook was deleted.', data: 'EventWebhook' },
  'token.created': { when: 'An upload token was created.', data: 'EventToken' },
  'token.revoked': { when: 'An upload token was revoked.', data: 'EventToken' },
  'order.created': { when: 'An order was created.', data: 'EventOrder' },
  'order.updated': {
    when: 'An order was changed, held or released, or assets were attached to it or detached from it.',
    data: 'EventOrder',
  },
  'order.revoked': { when: 'An order was revoked.', data: 'EventOrder' },
  'order.downloaded': {
    when: 'A buyer started a download that counts. Ranges, retries and further starts within 24 hours record no event.',
    data: 'EventDownload',
  },
  'order.limit_reached': {
    when: 'A buyer could not download a file, because its limit is reached. Recorded once until the file can be downloaded again.',
    data: 'EventDownload',
  },
  'order.more_requested': {
    when: 'A buyer whose limit is reached asked for more downloads of a file. Recorded once until `max_downloads` of the order is changed.',
    data: 'EventDownload',
  },
  'mail.sent': {
    when: 'The mail server accepted a mail to a buyer.',
    data: 'EventMail',
  },
  'mail.failed': {
    when: 'The mail server refused a mail for good, or did not accept it within two days.',
    data: 'EventMail',
  },
  'account.storage_low': {
    when: 'Stored and reserved bytes together reached 90 % of the plan.',
    data: 'EventAccount',
  },
  'account.suspended': {
    when: 'The operator suspended the account: it can be read, but not changed.',
    data: 'EventAccount',
  },
  'account.resumed': {
    when: 'The operator ended the suspension of the account.',
    data: 'EventAccount',
  },
} as const satisfies Record<string, EventEntry>

export type EventType = keyof typeof EVENTS

export const EVENT_ID_EXAMPLE = 42_900_322

export const EVENT_TYPES = Object.keys(EVENTS) as [EventType, ...EventType[]]

const ACTOR_TYPES = ['key', 'upload_token', 'buyer', 'job', 'operator', 'anonymous'] as const

export const EventActor = Type.Object(
  {
    type: Type.Enum([...ACTOR_TYPES], {
      type: 'string',
      description:
        '`job` is a background job, `operator` a command on the server, and `anonymous` anyone who can reach a service that requires no key. `buyer` is somebody with the URL of a download page',
    }),
    id: Nullable('string', {
      description:
        'The ID of the key, of the upload token, or of the buyer’s order; null for the key from the settings of the service, and for other actors',
    }),
    name: Nullable('string', {
      description:
        'The name of the key or of the job; for an upload token, of the key that created it',
    }),
  },
  { title: 'EventActor' },
)
export type EventActor = Static<typeof EventActor>

type DataName = keyof typeof EVENT_DATA

type TypeWith<Data extends DataName> = {
  [Type in EventType]: (typeof EVENTS)[Type]['data'] extends Data ? Type : never
}[EventType]

interface EventWith<Data extends DataName> {
  id: number
  type: TypeWith<Data>
  created_at: string
  actor: EventActor
  call: string | null
  data: Static<(typeof EVENT_DATA)[Data]>
}

/** `type` determines the type of `data`. */
export type Event = { [Data in DataName]: EventWith<Data> }[DataName]

/** Events of these types, whose `data` has this schema. */
function eventsOf(types: EventType[], data: TSchema) {
  return Type.Object({
    id: Type.Integer({
      description:
        'Increases in the order of the changes of the account. The last six digits depend on the time of the event. Pass the last one as `after` to continue',
      examples: [EVENT_ID_EXAMPLE],
    }),
    type: Type.Enum(types, { type: 'string' }),
    created_at: Type.String({ format: 'date-time' }),
    actor: EventActor,
    call: Nullable('string', {
      description:
        'Identifies the call that made the change, if one call can change many resources, such as `POST /assets/bulk`: all of its events have the same value. Otherwise null, and null in events of version 0.2.0',
    }),
    data,
  })
}

const anyData = Type.Unsafe<object>({
  anyOf: Object.values(EVENT_DATA),
  description: 'The resource right after the change. `type` determines its fields',
})

/** Lists all fields for people who read the schema. For programs, `anyOf` states the `data` of each type. */
export const Event = Type.Unsafe<Event>({
  ...eventsOf(EVENT_TYPES, anyData),
  title: 'Event',
  anyOf: Object.entries(EVENT_DATA).map(([name, schema]) =>
    eventsOf(
      EVENT_TYPES.filter((type) => EVENTS[type].data === name),
      schema,
    ),
  ),
})

function TimeQuery(description: string) {
  return Type.String({
    pattern: TIME_PATTERN,
    maxLength: 40,
    description: `${description}. ISO 8601: a date (in UTC), or a time with Z or an offset. Not for streams`,
    examples: ['2026-01-31', '2026-01-31T09:30:00Z'],
    ...Problem('must be a date such as 2026-01-31, or a time such as 2026-01-31T09:30:00Z'),
  })
}

const TIME_PATTERN =
  '^\\d{4}-\\d{2}-\\d{2}(T\\d{2}:\\d{2}(:\\d{2}(\\.\\d{1,9})?)?(Z|[+-]\\d{2}:\\d{2}))?$'

const types = EVENT_TYPES.map((type) => type.replace('.', '\\.')).join('|')

export const ListEventsQuery = Type.Object({
  after: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: MAX_INTEGER,
      description:
        'The last ID that was read: only events with higher IDs are returned. If omitted, a page starts with the oldest event that is kept, and a stream with the next new event',
      ...Problem('must be the ID of an event, or 0'),
    }),
  ),
  order: Type.Optional(
    Type.Enum(['desc', 'asc'], {
      type: 'string',
      description: '`desc`: the newest first. Not for streams. Default: `asc`',
      ...Problem('must be asc or desc'),
    }),
  ),
  before: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: MAX_INTEGER,
      description: 'Only events with lower IDs; requires `order=desc`',
      ...Problem('must be the ID of an event'),
    }),
  ),
  type: Type.Optional(
    Type.String({
      pattern: `^(${types})(,(${types}))*$`,
      maxLength: 1000,
      description: 'Only events of this type, or of these types, separated by commas',
      examples: ['asset.ready,asset.replaced'],
      ...Problem(
        `must be a type of event, or several separated by commas: ${EVENT_TYPES.join(', ')}`,
      ),
    }),
  ),
  actor: Type.Optional({
    ...TextQuery(
      'Only changes by this actor. A type: `key`, `upload_token`, `buyer`, `job`, `operator` or `anonymous`. Or the ID of a key or an upload token. Or the name of a key, in the same case. `TYPE:NAME` also requires the type: `job:empty_trash`, `upload_token:NAME` (tokens that this key created), `key:job` (a key whose name is a type). Not for streams',
    ),
    examples: ['shop backend'],
  }),
  search: Type.Optional(
    SearchQuery(
      'the names that `data` shows: the file name (also the previous one), the folder or the URL of an asset, the name, variant, SKU or vendor of a product, the name of a key, the description or origin of a webhook or an upload token. Not for streams',
    ),
  ),
  from: Type.Optional(TimeQuery('Only changes at this time or later')),
  to: Type.Optional(TimeQuery('Only changes before this time; a date includes the whole day')),
  limit: PageQuery.limit,
})
export type ListEventsQuery = Static<typeof ListEventsQuery>

export const ListEventsHeaders = Type.Object({
  'last-event-id': Type.Optional(
    Type.String({
      pattern: '^\\d{1,16}$',
      description:
        'The ID after which a stream continues; browsers send it when they connect again. It takes precedence over `after`',
      examples: [String(EVENT_ID_EXAMPLE)],
      ...Problem('must be the ID of an event'),
    }),
  ),
})

export const EventPage = Type.Object(
  {
    data: Type.Array(Event, {
      description: 'The oldest first, or the newest first with `order=desc`',
    }),
    meta: Type.Object({
      next_after: Type.Integer({
        description: 'Pass it as `after` to read the next page, now or later',
      }),
      next_before: Type.Optional(
        Type.Integer({
          description:
            'Present with `order=desc`: pass it as `before` to read the next page, with older events',
        }),
      ),
      has_more: Type.Boolean({
        description:
          'Whether to read the next page: there are further events now. With `actor` or `search`, a call examines a limited number of events, so a page may have fewer events than `limit`, or none, although `has_more` is true',
      }),
      examined_to: Type.Optional(
        Nullable('string', {
          format: 'date-time',
          description:
            'Present with `actor`, `search`, `from` or `to`: the time of the last event that this call has examined; null if it has examined none',
        }),
      ),
      last_id: Type.Integer({
        description: 'The ID of the last event of the account, of any type; 0 if there is none',
      }),
      ignored: Ignored,
    }),
  },
  { title: 'EventPage' },
)
export type EventPage = Static<typeof EventPage>

/** Which actors an event may have. */
export interface ActorFilter {
  type?: EventActor['type'] | undefined
  id?: string | undefined
  name?: string | undefined
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** The actors in the query: a type, an ID, the name of a key, or `TYPE:NAME`. */
export function parseActor(text: string): ActorFilter {
  if (isActorType(text)) return { type: text }
  if (UUID.test(text)) return { id: text.toLowerCase() }
  const end = text.indexOf(':')
  const type = text.slice(0, Math.max(0, end))
  return isActorType(type) ? { type, name: text.slice(end + 1) } : { type: 'key', name: text }
}

function isActorType(text: string): text is EventActor['type'] {
  return (ACTOR_TYPES as readonly string[]).includes(text)
}

/** The types in the query. */
export function parseEventTypes(text: string): EventType[] {
  return [...new Set(text.split(','))] as EventType[]
}
