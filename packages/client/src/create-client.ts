import { createCalls } from './calls.ts'
import type { Client } from './client.ts'
import type { ClientOptions } from './options.ts'
import { type ConnectPlatform, connect } from './request.ts'
import { openIndexedDbStore } from './upload/indexed-db-store.ts'
import { type BlobInput, checkInput, openInput, type StreamInput } from './upload/input.ts'
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

type Platform = Pick<UploadContext, 'check' | 'open' | 'store'> & ConnectPlatform

/** Creates a client for a platform, which reads files and stores the state of unfinished uploads. */
export function createClientOn<Input>(
  options: ClientOptions,
  { moreOptions = '', adviceFor, exchange, ...platform }: Platform,
): Client<Input> {
  const { retry = {}, stallMs = 30_000 } = options
  const { baseUrl, request } = connect(options, {
    moreOptions: `parallel stallMs store ${moreOptions}`,
    adviceFor,
    exchange,
  })
  const context: UploadContext = {
    ...platform,
    request,
    queue: createQueue(createConcurrencyLimit(options.parallel)),
    baseUrl,
    retry,
    stallMs,
    storageContact: { isMade: false },
    active: new Set(),
  }
  const { store } = platform
  const listSaved = () => store.list().catch(() => [])
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
      // Loaded on demand, because most pages only upload.
      const { followEvents } = await import('./events.ts')
      yield* followEvents(request, eventsOptions, retry)
    },
    async unfinished() {
      return (await listSaved()).filter(({ key }) => key.startsWith(`${baseUrl} `))
    },
  }
}
