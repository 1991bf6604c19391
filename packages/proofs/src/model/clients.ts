import type {
  Asset,
  CompletedPart,
  PartUrl,
  ReceivedPart,
  UploadSession,
  Version,
} from '@stowage/protocol'
import type { Context } from '@stowage/server/src/operations/context'
import type { Call, TestAccount } from '@stowage/testing/service/accounts'
import { API, putPart } from '@stowage/testing/service/upload'
import { BULK_CHANGES } from './bulk-rules.ts'
import {
  type BulkJobAction,
  CHUNK_SIZE,
  type Command,
  detailsOf,
  type JobName,
  productOf,
  TOKEN_BYTES,
  TOKEN_FILES,
} from './commands.ts'
import { performList, presentGroup } from './list-calls.ts'
import { partBytes, sha256 } from './model.ts'
import { type Event, NO_RESPONSE, type Observation } from './observation.ts'

export interface Clients {
  /** Makes the calls of the command. Returns no events if the command needs an upload and there is none yet. */
  perform(command: Command, client: number): Promise<Event[]>
}

export interface Operator {
  changePlan(bytes: number, assets: number | null): Promise<void>
  /** Expires the upload now, and returns its status. */
  expireUpload(session: { id: string; upload_id: string }): Promise<string>
  runJob(name: JobName): Promise<void>
  /** Marks all assets for deletion, as a process does that is killed afterward. */
  beginDeleteAll(): Promise<void>
  /** Begins to move a folder, as a process does that is killed afterward. Returns the outcome. */
  beginMoveFolder(from: string, to: string): Promise<string>
  /** Begins to change several assets, as a process does that is killed afterward. */
  beginBulk(action: BulkJobAction, ids: string[]): Promise<{ outcome: string; job: string }>
}

/** Begins to move a folder, and leaves the assets to a job. Returns the outcome. */
export async function beginMoveFolder(
  { database, newId, clock }: Pick<Context, 'database' | 'newId' | 'clock'>,
  account: string,
  { from, to }: { from: string; to: string },
): Promise<string> {
  const move = { id: newId(), source: `${from}/`, destination: `${to}/`, createdAt: clock() }
  return (await database.of(account).beginFolderMove(move, { merge: true })).outcome
}

/** Begins to change several assets, and leaves them to a job. Returns the outcome. */
export async function beginBulk(
  { database, newId, clock }: Pick<Context, 'database' | 'newId' | 'clock'>,
  account: string,
  { action, ids }: { action: BulkJobAction; ids: string[] },
): Promise<{ outcome: string; job: string }> {
  const job = { id: newId(), change: BULK_CHANGES[action], createdAt: clock() }
  const { outcome } = await database.of(account).addBulkJob(job, ids)
  return { outcome, job: job.id }
}

export function openClients(
  { call }: TestAccount,
  operator: Operator,
  state = newClientState(),
): Clients {
  const { sessions, etags, products } = state
  const headersOf = openToken(call, state)

  function etagsOf({ upload_id: id }: Session): Record<number, string> {
    etags[id] ??= {}
    return etags[id]
  }

  /** How the model names the upload. */
  function uploadOf({ id, upload_id, isReplacement }: Session) {
    return isReplacement ? { id: upload_id, asset: id } : { id }
  }

  async function send(session: Session, part: PartUrl, content: number): Promise<Observation> {
    const response = await putPart(part.url, partBytes(part, content)).catch(() => undefined)
    if (response === undefined) return { status: NO_RESPONSE, ...uploadOf(session) }
    await response.arrayBuffer()
    const etag = (response.headers.get('etag') ?? '').replaceAll('"', '')
    if (response.status === 200) etagsOf(session)[part.part] = etag
    const sent = { number: part.part, etag, content, size: part.end - part.start }
    return { status: response.status, ...uploadOf(session), parts: [sent] }
  }

  function listedParts(session: Session, choice: 'none' | 'known' | 'wrong'): CompletedPart[] {
    if (choice === 'none') return []
    if (choice === 'wrong') return [{ PartNumber: 1, ETag: 'wrong' }]
    return Object.entries(etagsOf(session)).map(([PartNumber, ETag]) => ({
      PartNumber: Number(PartNumber),
      ETag,
    }))
  }

  /** A call about the upload of the session, which may be that of a new version. */
  async function callUpload(session: Session, method: string, path: string, body?: unknown) {
    const query = session.isReplacement ? `${path}?upload_id=${session.upload_id}` : path
    // The account resizes: the size does not count for the token.
    const headers = method === 'PATCH' ? {} : await headersOf(session)
    const { body: data, seen } = await callAsset(session, method, query, { body, headers })
    return { body: data, seen: { ...seen, ...uploadOf(session) } }
  }

  async function callAsset(
    session: Session,
    method: string,
    path: string,
    { body, headers = {} }: { body?: unknown; headers?: Record<string, string> } = {},
  ) {
    const response = await call(method, `${API}/assets/${session.id}${path}`, body, headers)
    const { status, body: data } = response
    return { body: data, seen: { status, id: session.id, ...(data.code && { code: data.code }) } }
  }

  async function perform(
    command: Exclude<Command, { upload: number } | { kind: 'uploadWhole' }>,
  ): Promise<Observation> {
    switch (command.kind) {
      case 'sign': {
        const { size, minSize: min_size } = command
        const file = { name: 'file.bin', size, min_size, mime: 'application/zip' }
        const headers = {
          ...(command.key !== undefined && { 'Idempotency-Key': command.key }),
          ...(command.byToken && (await headersOf({ byToken: true }))),
        }
        const path = `${API}/assets/signed`
        const { status, body } = await call('POST', path, file, headers)
        if (status !== 201) return { status, code: body.code }
        sessions.push(command.byToken ? { ...body, byToken: true } : body)
        const attaches = command.byToken ? state.token?.attaches : undefined
        const reserved = command.minSize !== undefined && { size: body.urls.at(-1).end }
        return { status, id: body.id, ...reserved, ...(attaches !== undefined && { attaches }) }
      }
      case 'import': {
        const vendor = command.vendor !== undefined && { vendor: command.vendor }
        const list = command.variants.map((id) => ({
          ...detailsOf(id),
          ...vendor,
        }))
        const { status, body } = await call('PUT', `${API}/products`, { products: list })
        const imported: Record<number, string> = {}
        const vendors: Record<number, string> = {}
        for (const product of body.data ?? []) {
          imported[product.variant_id] = product.id
          vendors[product.variant_id] = product.vendor
        }
        Object.assign(products, imported)
        return { status, products: imported, vendors }
      }
      case 'removeProduct': {
        const id = products[command.variant] ?? '00000000-0000-7000-8000-000000000000'
        const { status } = await call('DELETE', `${API}/products/${id}`)
        return { status, products: { [command.variant]: id } }
      }
      case 'changePlan':
        await operator.changePlan(command.bytes, command.assets ?? null)
        return { status: 200 }
      case 'job':
        await operator.runJob(command.name)
        return { status: 200 }
      case 'beginDeleteAll':
        await operator.beginDeleteAll()
        return { status: 202 }
      case 'beginMoveFolder': {
        const code = await operator.beginMoveFolder(command.from, command.to)
        return { status: 202, code }
      }
      case 'beginBulk': {
        const ids = assetIdsOf(sessions, command.uploads)
        const { outcome, job } = await operator.beginBulk(command.action, ids)
        if (outcome === 'begun') state.lastBulk = job
        return { status: 202, ids, job, code: outcome }
      }
      case 'endBulk': {
        const job = state.lastBulk
        if (job === undefined) return { status: 404 }
        const { status, body } = await call('POST', `${API}/bulk/${job}/${command.how}`)
        return { status, job, code: body.code ?? body.data.status }
      }
      case 'storeLink': {
        const link = { filename: command.name, url: 'https://example.com/file' }
        const { status, body } = await call('POST', `${API}/assets/store`, link)
        return { status, code: body.code, ...(status === 201 && { id: body.data.id }) }
      }
      case 'list':
      case 'products':
      case 'groups':
      case 'tags':
      case 'uploads':
      case 'account':
        return performList(call, command)
      default:
        return performOnTrash(call, command, sessions)
    }
  }

  async function performOn(
    session: Session,
    command: Exclude<
      Extract<Command, { upload: number }>,
      { kind: 'put' | 'putAll' | 'replaceWhole' }
    >,
  ): Promise<Observation> {
    switch (command.kind) {
      case 'complete': {
        const parts = listedParts(session, command.etags)
        const body = { upload_id: session.upload_id, parts }
        const { seen } = await callUpload(session, 'POST', '/uploaded', body)
        const listed = parts.map(({ PartNumber, ETag }) => ({
          number: PartNumber,
          etag: ETag,
          content: 0,
          size: 0,
        }))
        return { ...seen, parts: listed }
      }
      case 'expire':
        return { status: 200, ...uploadOf(session), code: await operator.expireUpload(session) }
      case 'cancel':
        return (await callUpload(session, 'POST', '/cancel', { upload_id: session.upload_id })).seen
      case 'resume': {
        const { seen, body } = await callUpload(session, 'GET', '/upload')
        const numbers = body.received?.map(({ PartNumber }: CompletedPart) => PartNumber)
        return { ...seen, received: numbers }
      }
      case 'resize': {
        const { size, minSize: min_size } = command
        const { seen, body } = await callUpload(session, 'PATCH', '/upload', { size, min_size })
        const fresh: PartUrl[] = body.urls ?? []
        // Keeps the earlier URLs, which still accept parts of their original length.
        const others = session.urls.filter(({ part }) => fresh.every((one) => one.part !== part))
        session.urls = [...others, ...fresh].sort((a, b) => a.part - b.part)
        if (min_size === undefined || seen.status !== 200) return seen
        // A received part whose length does not fit the new size is missing, too.
        const received: ReceivedPart[] = body.received
        const ends = received.map(
          ({ PartNumber, size: own }) => (PartNumber - 1) * CHUNK_SIZE + own,
        )
        return { ...seen, size: Math.max(0, ...ends, ...fresh.map(({ end }) => end)) }
      }
      case 'replace': {
        const { size, byToken = false, declares } = command
        const declared = declares !== undefined && {
          sha256: sha256(partBytes({ start: 0, end: size }, declares)),
        }
        const token = byToken ? await requestReplaceToken(call, session.id) : undefined
        if (token && 'code' in token) return { ...token, asset: session.id }
        const request = { body: { size, ...declared }, headers: await headersOf(token ?? {}) }
        const { seen, body } = await callAsset(session, 'POST', '/signed', request)
        if (seen.status !== 201) return { ...seen, asset: session.id }
        sessions.push({ ...body, isReplacement: true, ...token })
        return { status: 201, id: body.upload_id, asset: session.id }
      }
      case 'restore': {
        const path = `/versions/${command.version}/restore`
        return (await callAsset(session, 'POST', path)).seen
      }
      case 'deleteVersion':
        return (await callAsset(session, 'DELETE', `/versions/${command.version}`)).seen
      case 'versions': {
        const { seen, body } = await callAsset(session, 'GET', '/versions')
        const versions = (body.data ?? []).map((one: Version) => ({
          version: one.version,
          bytes: one.bytes,
          name: one.filename,
          isCurrent: one.current,
        }))
        return { ...seen, versions }
      }
      case 'restoreAsset':
        return (await callAsset(session, 'POST', '/restore')).seen
      case 'delete': {
        const query = command.isPermanent ? '?permanent=true' : ''
        return (await callAsset(session, 'DELETE', query)).seen
      }
      case 'read':
        return (await callAsset(session, 'GET', '')).seen
      case 'download': {
        const response = await call('GET', `${API}/assets/${session.id}/download`)
        const { status, body, headers } = response
        const seen = { status, id: session.id, ...(body.code && { code: body.code }) }
        if (status !== 302) return seen
        const object = await fetch(headers.get('location') ?? '')
        const bytes = Buffer.from(await object.arrayBuffer())
        return { ...seen, ...(object.status === 200 && { sha256: sha256(bytes) }) }
      }
      case 'assetGroups': {
        const { seen, body } = await callAsset(session, 'GET', '/product-groups')
        return { ...seen, groups: (body.data ?? []).map(presentGroup) }
      }
      case 'rename':
        return (
          await callAsset(session, 'PUT', '', {
            body: { filename: command.name, path: command.path },
          })
        ).seen
      case 'retag':
        return (await callAsset(session, 'PUT', '', { body: { tags: command.tags } })).seen
      case 'attach':
      case 'detach': {
        const body = command.isWhole
          ? { product_ids: [productOf(command.variant)] }
          : { variant_ids: [command.variant] }
        return (await callAsset(session, 'POST', `/${command.kind}`, { body })).seen
      }
    }
  }

  return {
    async perform(command, client) {
      if (command.kind === 'uploadWhole') {
        const { size, content, byToken = false } = command
        const sign = { kind: 'sign', size, byToken } as const
        return sendWhole(() => perform(sign), sign, { client, content })
      }
      if ('uploads' in command && sessions.length === 0) return []
      if (!('upload' in command)) return [{ client, command, seen: await perform(command) }]
      const session = sessions[command.upload % sessions.length]
      if (session === undefined) return []
      return performOnSession(session, command, client)
    },
  }

  async function performOnSession(
    session: Session,
    command: Extract<Command, { upload: number }>,
    client: number,
  ): Promise<Event[]> {
    if (command.kind === 'replaceWhole') {
      const { size, content, declares } = command
      const declared = declares !== undefined && { declares }
      const replace = { kind: 'replace', upload: 0, size, ...declared } as const
      return sendWhole(() => performOn(session, replace), replace, { client, content })
    }
    if (command.kind !== 'put' && command.kind !== 'putAll') {
      return [{ client, command, seen: await performOn(session, command) }]
    }
    const { urls } = session
    const chosen = command.kind === 'put' ? [urls[command.part % urls.length]] : urls
    const parts = chosen.filter((part) => part !== undefined)
    const seen = await Promise.all(parts.map((part) => send(session, part, command.content)))
    return seen.map((one, part) => ({
      client,
      command: { ...command, kind: 'put', part } as const,
      seen: one,
    }))
  }

  /** Runs the command that starts an upload, sends the parts and completes it. */
  async function sendWhole(
    start: () => Promise<Observation>,
    command: Command,
    { client, content }: { client: number; content: number },
  ): Promise<Event[]> {
    const seen = await start()
    const events: Event[][] = [[{ client, command, seen }]]
    const session = sessions.find((one) => uploadOf(one).id === seen.id)
    if (seen.status !== 201 || session === undefined) return events.flat()
    for (const next of [
      { kind: 'putAll', upload: 0, content },
      { kind: 'complete', upload: 0, etags: 'known' },
    ] as const) {
      events.push(await performOnSession(session, next, client))
    }
    return events.flatMap((list, step) => list.map((event) => ({ ...event, step })))
  }
}

type TrashCommand = Extract<
  Command,
  {
    kind:
      | 'bulkDelete'
      | 'bulkRestore'
      | 'bulkTag'
      | 'bulkMove'
      | 'deleteAll'
      | 'emptyTrash'
      | 'trash'
  }
>

/** Makes a call about the trash or about several assets. */
async function performOnTrash(
  call: TestAccount['call'],
  command: TrashCommand,
  sessions: { id: string }[],
): Promise<Observation> {
  if (command.kind === 'trash') {
    const { status, body } = await call('GET', `${API}/assets?trashed=true&limit=1000`)
    return { status, listed: (body.data ?? []).map(({ id }: Asset) => id) }
  }
  if (command.kind === 'deleteAll' || command.kind === 'emptyTrash') {
    const { status } =
      command.kind === 'deleteAll'
        ? await call('POST', `${API}/assets/deleted-all`)
        : await call('DELETE', `${API}/trash`)
    return { status }
  }
  const ids = assetIdsOf(sessions, command.uploads)
  const { status, body } = await call('POST', `${API}/assets/bulk`, { ...changeOf(command), ids })
  return { status, ids, ...(body.code && { code: body.code }) }
}

/** The IDs of the assets of these sessions. */
function assetIdsOf(sessions: { id: string }[], indexes: number[]): string[] {
  return [...new Set(indexes.flatMap((index) => sessions[index % sessions.length]?.id ?? []))]
}

function changeOf(command: Extract<TrashCommand, { uploads: number[] }>): object {
  if (command.kind === 'bulkDelete') return { action: 'delete', permanent: command.isPermanent }
  if (command.kind === 'bulkRestore') return { action: 'restore' }
  if (command.kind === 'bulkMove') return { action: 'move', path: command.path }
  return { action: command.isRemoval ? 'untag' : 'tag', tags: command.tags }
}

/** The product that the upload token attaches files to, if it exists when the token is created. */
const PRODUCT = productOf(1)

/**
 * Returns a function that returns the headers for the calls of a session. The upload token that all clients share is
 * created when it is first used.
 */
function openToken(
  call: Call,
  state: ClientState,
): (session: Pick<Session, 'byToken' | 'ownToken'>) => Promise<Record<string, string>> {
  let creating: Promise<void> | undefined

  async function create(): Promise<void> {
    if (state.token !== undefined) return
    for (const attaches of [PRODUCT, undefined]) {
      const attach = attaches !== undefined && { attach: { product_ids: [attaches] } }
      const limits = { max_bytes: TOKEN_BYTES, max_files: TOKEN_FILES, ...attach }
      const { status, body } = await call('POST', `${API}/upload-tokens`, limits)
      if (status !== 201) continue
      state.token = { secret: body.token, ...(attaches !== undefined && { attaches }) }
      return
    }
  }

  return async ({ byToken, ownToken }) => {
    if (ownToken !== undefined) return { Authorization: `Bearer ${ownToken}` }
    if (!byToken) return {}
    creating ??= create()
    await creating
    return { Authorization: `Bearer ${state.token?.secret}` }
  }
}

/** Requests a token to replace this asset, with limits that no test reaches. Returns the token or the refusal. */
async function requestReplaceToken(
  call: Call,
  assetId: string,
): Promise<{ ownToken: string } | { status: number; code: string }> {
  const limits = { max_bytes: 1_000_000, max_files: 1000, replace: assetId }
  const { status, body } = await call('POST', `${API}/upload-tokens`, limits)
  return status === 201 ? { ownToken: body.token } : { status, code: body.code }
}

/** The session of an upload, or of a new version of an asset. */
type Session = UploadSession & {
  isReplacement?: true
  /** Its calls use the upload token that all clients share. */
  byToken?: true
  /** The upload token that its calls use, which is only for this asset. */
  ownToken?: string
}

/** Data that the clients of an account got in responses. Plain data, so that another process can continue with it. */
export interface ClientState {
  sessions: Session[]
  /** The ETags that the storage returned, by upload and part. */
  etags: Record<string, Record<number, string>>
  /** The IDs of products, by variant. */
  products: Record<number, string>
  /** The upload token that all clients share, once it was needed. */
  token?: { secret: string; attaches?: number }
  /** The change in the background that was begun last. */
  lastBulk?: string
}

export function newClientState(): ClientState {
  return { sessions: [], etags: {}, products: {} }
}
