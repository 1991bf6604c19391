import { MAX_MAILS_PER_MINUTE } from '@stowage/protocol'
import { STARTS_PER_DOWNLOAD } from '@stowage/server/src/domain/order'
import fc from 'fast-check'

/* What the service must do with orders, and the calls that are tried. The model is independent of the code of the service. */

export const FILES = [0, 1]
export const PRODUCTS = [1, 2]

/** One call of a client, as data. `order` and `file` are indexes. */
export type Command =
  | {
      kind: 'create'
      order: number
      quantities: readonly number[]
      max: number | null
      /** Whether the buyer is told. */
      notify?: boolean
    }
  | { kind: 'limit'; order: number; max: number | null }
  | { kind: 'hold'; order: number; held: boolean }
  /** Refunds so many of the line of a product. */
  | { kind: 'refund'; order: number; quantities: readonly number[]; refunded: number }
  | { kind: 'revoke'; order: number }
  | { kind: 'own'; order: number; file: number; isAttached: boolean }
  | { kind: 'sell'; product: number; file: number; isAttached: boolean }
  | { kind: 'replace'; file: number }
  | { kind: 'trash'; file: number }
  | { kind: 'restore'; file: number }
  /** A backend asks for the URL of a download. */
  | { kind: 'open'; order: number; file: number }
  /** A buyer requests the bytes from the first one on, or a later range, at the last URL. */
  | { kind: 'start'; order: number; file: number }
  | { kind: 'resume'; order: number; file: number }
  /** “Your files are ready” is sent again. */
  | { kind: 'mail'; order: number }
  /** The job sends the mails that are due. */
  | { kind: 'deliver' }
  /** The 24 hours of all downloads end. Alone. */
  | { kind: 'nextDay' }

export interface Observation {
  status: number
  code?: string
  /** The URL of the download that was opened, or that was requested. */
  url?: string
}

export interface Event {
  command: Command
  seen: Observation
}

interface Line {
  product: number
  quantity: number
  refunded: number
}

interface Log {
  file: number
  version: number
  starts: number
  cost: number
}

interface FileOfOrder {
  used: number
  starts: number
  isOpen: boolean
  url: string
  /** The index of its last download in the log. */
  log: number
}

/** The mails of an order, by state. */
interface Mails {
  queued: number
  sent: number
  cancelled: number
}

interface ModelOrder {
  lines: Line[]
  own: number[]
  max: number | null
  isHeld: boolean
  isRevoked: boolean
  files: Record<number, FileOfOrder>
  log: Log[]
  /** Whether a creation has queued its mail. */
  isTold: boolean
  mails: Mails
}

export function explain(models: Model[], events: Event[]): string {
  const lines = events.map(
    ({ command, seen }) => `${JSON.stringify(command)} -> ${JSON.stringify(seen)}`,
  )
  return `${lines.join('\n')}\nbefore: ${models.map((model) => JSON.stringify(model)).join('\n')}`
}

/** Immutable: each step creates a new model. */
export interface Model {
  orders: Record<number, ModelOrder>
  /** The products of each file. */
  sold: number[][]
  versions: number[]
  trashed: boolean[]
  /** How many mails were queued by calls. */
  calledMails: number
}

export const EMPTY: Model = {
  orders: {},
  sold: FILES.map(() => []),
  versions: FILES.map(() => 1),
  trashed: FILES.map(() => false),
  calledMails: 0,
}

const at = fc.constantFrom(0, 1)
const max = fc.constantFrom(null, 1, 2)
const quantities = fc.constantFrom([1], [2, 1], [0, 1], [3])
const is = <const Kind extends string>(kind: Kind): fc.Arbitrary<Kind> => fc.constant(kind)

export const command: fc.Arbitrary<Command> = fc.oneof(
  {
    weight: 2,
    arbitrary: fc.record({
      kind: is('create'),
      order: at,
      quantities,
      max,
      notify: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: is('mail'), order: at }) },
  { weight: 2, arbitrary: fc.record({ kind: is('limit'), order: at, max }) },
  { weight: 2, arbitrary: fc.record({ kind: is('hold'), order: at, held: fc.boolean() }) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: is('refund'), order: at, quantities, refunded: at }),
  },
  { weight: 1, arbitrary: fc.record({ kind: is('revoke'), order: fc.constant(1) }) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: is('own'), order: at, file: at, isAttached: fc.boolean() }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: is('sell'),
      product: fc.constantFrom(...PRODUCTS),
      file: at,
      isAttached: fc.nat({ max: 3 }).map((choice) => choice > 0),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: is('replace'), file: at }) },
  { weight: 1, arbitrary: fc.record({ kind: is('trash'), file: at }) },
  { weight: 2, arbitrary: fc.record({ kind: is('restore'), file: at }) },
  { weight: 10, arbitrary: fc.record({ kind: is('open'), order: at, file: at }) },
  { weight: 24, arbitrary: fc.record({ kind: is('start'), order: at, file: at }) },
  { weight: 3, arbitrary: fc.record({ kind: is('resume'), order: at, file: at }) },
)

/** About half of the batches have one call, the others two or three concurrent calls. */
export function batchesOf(canPassDays: boolean): fc.Arbitrary<Command[][]> {
  const batch = fc.oneof(
    { weight: 5, arbitrary: fc.tuple(command) },
    { weight: 5, arbitrary: fc.array(command, { minLength: 2, maxLength: 3 }) },
    ...(canPassDays
      ? [{ weight: 1, arbitrary: fc.tuple(fc.record({ kind: is('nextDay') })) }]
      : []),
  ) as fc.Arbitrary<Command[]>
  const file = { order: 0, file: 0 }
  const start = { kind: 'start', ...file } as const
  // Few starts are missing until one counts as another download.
  const begin = fc.record({ max: fc.constantFrom(1, 2), starts: fc.constantFrom(0, 9, 10) })
  const rest = fc.array(batch, { maxLength: 50, size: 'max' })
  return fc
    .tuple(begin, rest)
    .map(([{ max, starts }, batches]) => [
      [{ kind: 'sell', product: 1, file: 0, isAttached: true }],
      [{ kind: 'create', order: 0, quantities: [1], max }],
      ...(starts === 0 ? [] : [[{ kind: 'open', ...file } as const]]),
      ...Array.from({ length: starts }, () => [start]),
      ...batches,
    ])
}

/** The status of a call that was not sent: it changed nothing. */
export const NOT_SENT = 0
/** The status of a call whose response was lost: it may have changed something. */
export const UNKNOWN = -1
/** The URL of a download whose response was lost. */
const LOST_URL = 'lost'

/** The possible states after concurrent calls. Empty if no order of the calls explains every response. */
export function linearize(models: Model[], events: Event[]): Model[] {
  const found = new Map<string, Model>()
  const visit = (model: Model, rest: Event[]): void => {
    if (rest.length === 0) found.set(JSON.stringify(model), model)
    for (const event of rest) {
      const others = rest.filter((other) => other !== event)
      for (const next of outcomes(model, event)) visit(next, others)
    }
  }
  for (const model of models) visit(model, events)
  return [...found.values()]
}

/** The next models that the response allows. */
function outcomes(model: Model, event: Event): Model[] {
  const { command, seen } = event
  if (seen.status !== UNKNOWN) {
    const next = apply(model, event)
    return next === undefined ? [] : [next]
  }
  const url = command.kind === 'open' ? LOST_URL : seen.url
  const applied = [200, 201, 202, 302].flatMap((status) => {
    const next = apply(model, { command, seen: { status, ...(url && { url }) } })
    return next === undefined ? [] : [next]
  })
  return [model, ...applied]
}

/** The next model; undefined if the response is wrong. */
function apply(model: Model, { command: call, seen }: Event): Model | undefined {
  const allowIf = (isRight: boolean, next: Model = model) => (isRight ? next : undefined)
  if (call.kind === 'nextDay') return passDay(model)
  if (call.kind === 'deliver') return deliver(model)
  // For example, no download was opened before, so there was nothing to request.
  if (seen.status === NOT_SENT) return model
  if (call.kind === 'sell') {
    const { file, product, isAttached } = call
    if (model.trashed[file]) return allowIf(seen.status === 404)
    const others = (model.sold[file] ?? []).filter((one) => one !== product)
    const products = isAttached ? [...others, product].sort() : others
    return allowIf(seen.status === (isAttached ? 201 : 200), {
      ...model,
      sold: model.sold.with(file, products),
    })
  }
  if (call.kind === 'replace') {
    const { file } = call
    if (model.trashed[file]) return allowIf(seen.status === 404)
    // Another replacement runs.
    if (seen.status === 409) return model
    const version = (model.versions[file] ?? 1) + 1
    return allowIf(seen.status === 200, { ...model, versions: model.versions.with(file, version) })
  }
  if (call.kind === 'trash') {
    const { file } = call
    const trashed = { ...model, trashed: model.trashed.with(file, true) }
    return model.trashed[file]
      ? allowIf(seen.status === 404)
      : allowIf(seen.status === 202, trashed)
  }
  if (call.kind === 'restore') {
    return allowIf(seen.status === 200, { ...model, trashed: model.trashed.with(call.file, false) })
  }
  const { order: index } = call
  const order = model.orders[index]
  const withOrder = (change: Partial<ModelOrder>): Model => {
    const changed = { ...(order ?? NEW_ORDER), ...change }
    return { ...model, orders: { ...model.orders, [index]: changed } }
  }
  if (call.kind === 'create') {
    const lines = linesOf(call.quantities, 0)
    // Lines keep what was refunded, as far as their quantity allows.
    const kept = lines.map((line) => {
      const before = order?.lines.find(({ product }) => product === line.product)
      return { ...line, refunded: Math.min(before?.refunded ?? 0, line.quantity) }
    })
    const isNew = order === undefined
    const { isTold, mails } = order ?? NEW_ORDER
    const told = call.notify && !isTold && { isTold: true, mails: withOneMore(mails) }
    const change = { lines: kept, max: call.max, ...told }
    return allowIf(seen.status === (isNew ? 201 : 200), withOrder(change))
  }
  if (order === undefined) return allowIf(seen.status === 404)
  switch (call.kind) {
    case 'limit':
      return allowIf(seen.status === 200, withOrder({ max: call.max }))
    case 'hold':
      return allowIf(seen.status === 200, withOrder({ isHeld: call.held }))
    case 'refund':
      return allowIf(
        seen.status === 200,
        withOrder({ lines: linesOf(call.quantities, call.refunded) }),
      )
    case 'revoke':
      return allowIf(seen.status === 200, withOrder({ isRevoked: true }))
    case 'mail': {
      if (order.isRevoked) return allowIf(seen.code === 'order_revoked')
      // Only so many within a minute.
      if (seen.status === 429) return allowIf(model.calledMails >= MAX_MAILS_PER_MINUTE)
      const queued = withOrder({ mails: withOneMore(order.mails) })
      return allowIf(seen.status === 200, { ...queued, calledMails: model.calledMails + 1 })
    }
    case 'own': {
      const { file, isAttached } = call
      const others = order.own.filter((one) => one !== file)
      // Whether a file in the trash is attached can still be changed to "not attached".
      if (isAttached && model.trashed[file]) return allowIf(seen.status === 422)
      const own = isAttached ? [...others, file].sort() : others
      return allowIf(seen.status === (isAttached ? 201 : 200), withOrder({ own }))
    }
    default:
      return applyToFile(model, { order, call, seen, withOrder })
  }
}

const NEW_ORDER: ModelOrder = {
  lines: [],
  own: [],
  max: null,
  isHeld: false,
  isRevoked: false,
  files: {},
  log: [],
  isTold: false,
  mails: { queued: 0, sent: 0, cancelled: 0 },
}

function withOneMore(mails: Mails): Mails {
  return { ...mails, queued: mails.queued + 1 }
}

function deliver(model: Model): Model {
  const orders = Object.entries(model.orders).map(([index, order]): [string, ModelOrder] => {
    const { queued, sent, cancelled } = order.mails
    if (order.isRevoked) {
      return [index, { ...order, mails: { queued: 0, sent, cancelled: cancelled + queued } }]
    }
    // The mail of a held order waits.
    if (order.isHeld) return [index, order]
    return [index, { ...order, mails: { queued: 0, sent: sent + queued, cancelled } }]
  })
  return { ...model, orders: Object.fromEntries(orders) }
}

function linesOf(quantities: readonly number[], refunded: number): Line[] {
  return quantities.flatMap((quantity, index) => {
    const product = PRODUCTS[index] ?? 0
    return quantity === 0 ? [] : [{ product, quantity, refunded: Math.min(refunded, quantity) }]
  })
}

interface FileCall {
  order: ModelOrder
  call: Extract<Command, { kind: 'open' | 'start' | 'resume' }>
  seen: Observation
  withOrder(change: Partial<ModelOrder>): Model
}

function applyToFile(model: Model, { order, call, seen, withOrder }: FileCall): Model | undefined {
  const { file } = call
  const allowIf = (isRight: boolean, next: Model = model) => (isRight ? next : undefined)
  const state = order.files[file]
  const limit = limitOf(model, order, file)
  const isLeft = limit === null || (state?.used ?? 0) < limit
  if (call.kind === 'open') {
    if (model.trashed[file]) return allowIf(seen.code === 'not_found')
    const refusal = refusalOf(model, order, file)
    if (refusal !== undefined) return allowIf(seen.code === refusal)
    if (state?.isOpen) {
      const { url = '' } = seen
      const known = state.url === LOST_URL ? { ...state, url } : state
      const joined = withOrder({ files: { ...order.files, [file]: known } })
      return allowIf(seen.status === 200 && [known.url, LOST_URL].includes(url), joined)
    }
    if (!isLeft) return allowIf(seen.code === 'limit_reached')
    if (seen.status !== 200 || seen.url === undefined || seen.url === state?.url) return undefined
    const used = (state?.used ?? 0) + 1
    const opened = { used, starts: 0, isOpen: true, url: seen.url, log: order.log.length }
    const entry = { file, version: model.versions[file] ?? 1, starts: 0, cost: 1 }
    return withOrder({ files: { ...order.files, [file]: opened }, log: [...order.log, entry] })
  }
  // Another download has replaced the one of this URL.
  if (state === undefined || state.url !== seen.url) return allowIf(seen.status === 404)
  const isRefused = refusalOf(model, order, file) !== undefined || model.trashed[file]
  if (isRefused) return allowIf([404, 409, 410].includes(seen.status))
  if (!state.isOpen) return allowIf(seen.status === 410)
  if (call.kind === 'resume') return allowIf(seen.status === 302)
  const counts = state.starts > 0 && state.starts % STARTS_PER_DOWNLOAD === 0
  if (counts && !isLeft) return allowIf(seen.status === 409)
  const cost = counts ? 1 : 0
  const log = order.log.map((entry, index) =>
    index === state.log ? { ...entry, starts: entry.starts + 1, cost: entry.cost + cost } : entry,
  )
  const started = { ...state, starts: state.starts + 1, used: state.used + cost }
  return allowIf(
    seen.status === 302,
    withOrder({ files: { ...order.files, [file]: started }, log }),
  )
}

function refusalOf(model: Model, order: ModelOrder, file: number): string | undefined {
  if (order.isRevoked) return 'order_revoked'
  if (order.isHeld) return 'order_held'
  return copiesOf(model, order, file) === 0 ? 'not_found' : undefined
}

function copiesOf({ sold }: Model, { lines, own }: ModelOrder, file: number): number {
  const ofLines = lines
    .filter(({ product }) => sold[file]?.includes(product))
    .reduce((sum, { quantity, refunded }) => sum + quantity - refunded, 0)
  return ofLines + (own.includes(file) ? 1 : 0)
}

function limitOf(model: Model, order: ModelOrder, file: number): number | null {
  return order.max === null ? null : order.max * copiesOf(model, order, file)
}

function passDay(model: Model): Model {
  const orders = Object.entries(model.orders).map(([index, order]) => {
    const files = Object.entries(order.files).map(([file, state]) => [
      file,
      { ...state, isOpen: false },
    ])
    return [index, { ...order, files: Object.fromEntries(files) }]
  })
  return { ...model, orders: Object.fromEntries(orders) }
}

/** What the API shows of an order. */
export interface Shown {
  status: string
  downloads: number
  /** The covered files, by index: how often they were downloaded, and their limits. */
  files: Record<number, [number, number | null]>
  log: Log[]
  mails: Mails
}

export function shownOf(model: Model): Record<number, Shown> {
  const shown = Object.entries(model.orders).map(([index, order]): [string, Shown] => {
    const covered = FILES.filter((file) => !model.trashed[file] && copiesOf(model, order, file) > 0)
    const status = order.isRevoked ? 'revoked' : order.isHeld ? 'held' : 'active'
    const states = Object.values(order.files)
    return [
      index,
      {
        status,
        downloads: states.reduce((sum, { used }) => sum + used, 0),
        files: Object.fromEntries(
          covered.map((file) => [
            file,
            [order.files[file]?.used ?? 0, limitOf(model, order, file)],
          ]),
        ),
        log: order.log,
        mails: order.mails,
      },
    ]
  })
  return Object.fromEntries(shown)
}

/** The same where the jobs run, which may or may not have tried a mail: only the number of mails is certain. */
export function shownWithJobs(model: Model): Record<number, Shown> {
  const shown = Object.entries(shownOf(model)).map(([index, order]): [string, Shown] => {
    const { queued, sent, cancelled } = order.mails
    return [
      index,
      { ...order, mails: { queued: queued + sent + cancelled, sent: 0, cancelled: 0 } },
    ]
  })
  return Object.fromEntries(shown)
}
