import { createCalls } from './calls.ts'
import type { Client } from './client.ts'
import type { ClientOptions } from './options.ts'
import { type ConnectPlatform, connect } from './request.ts'
import { openIndexedDbStore } from './upload/indexed-db-store.ts'
import { type BlobInput, checkInput, openInput, type StreamInput } from './upload/input.ts'
import { isOwn } from './upload/open-session.ts'
import { createConcurrencyLimit, createQueue } from './upload/queue.ts'
import { cancelSession, readSession } from './upload/session.ts'
import type { UploadContext } from './upload/types.ts'
import { startUpload } from './upload/upload.ts'

const OVER = /not_found|upload_ended|already_uploaded/

/** Creates a client for a browser. Throws a TypeError for invalid options. Makes no request. */
export function createClient(options: ClientOptions = {}): Client {
  return createClientOn(options, {
    store: options.store ?? openIndexedDbStore(),
    check: checkInput,
    open: (file, sourceOptions) => openInput(file as BlobInput | StreamInput, sourceOptions),
  })
}

export const CLIENT_OPTIONS = 'parallel stallMs store'

type Platform = Pick<UploadContext, 'check' | 'open' | 'store'> & ConnectPlatform

/** Creates a client for a platform, which reads files and stores the state of unfinished uploads. */
export function createClientOn<Input>(
  options: ClientOptions,
  { moreOptions = '', adviceFor, exchange, ...platform }: Platform,
): Client<Input> {
  const { retry = {}, stallMs = 30_000 } = options
  const { baseUrl, request } = connect(options, {
    moreOptions: `${CLIENT_OPTIONS} ${moreOptions}`,
    adviceFor,
    exchange,
  })
  const owner = ownerOf(options.apiKey)
  const context: UploadContext = {
    ...platform,
    request,
    queue: createQueue(createConcurrencyLimit(options.parallel)),
    baseUrl,
    owner,
    retry,
    stallMs,
    storageContact: { isMade: false },
    active: new Set(),
  }
  const { store } = platform
  const listSaved = async () => {
    const all = await store.list().catch(() => [])
    return all.filter((saved) => saved.key.startsWith(`${baseUrl} `) && isOwn(saved, owner))
  }
  return {
    ...createCalls(request),
    async cancelUpload(id, settings = {}) {
      const { upload_id: uploadId, ...call } = settings
      await readSession(request, { id, uploadId }, call)
        .then((session) => cancelSession(request, session, call))
        .catch((error) => {
          if (!OVER.test(error.code)) throw error
        })
      for (const saved of await listSaved()) {
        if (saved.id === id && saved.uploadId === uploadId) await store.delete(saved.key)
      }
    },
    upload: (file, uploadOptions = {}) => startUpload(context, file, uploadOptions),
    replace: (id, file, replaceOptions = {}) =>
      startUpload(context, file, { ...replaceOptions, replaces: id }),
    async *events(eventsOptions = {}) {
      const { followEvents } = await import('./on-demand.ts')
      yield* followEvents(request, eventsOptions, retry)
    },
    async unfinished() {
      return (await listSaved()).flatMap(
        ({ key, id, name, size, startedAt, replaces, uploadId }) =>
          // Without an ID, it is unknown whether the service has an upload.
          id ? { key, id, name, size, startedAt, replaces, uploadId } : [],
      )
    },
  }
}

/** Upload tokens are short-lived, and a page uses them for one account: they share their state. */
function ownerOf(apiKey = ''): string {
  if (!apiKey || apiKey.startsWith('stowup_')) return ''
  return `${[...apiKey].reduce((hash, letter) => Math.imul(hash ^ letter.charCodeAt(0), 0x01000193), 0)}`
}
