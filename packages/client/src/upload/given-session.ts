import { isReadOnce } from './input.ts'
import { checkSize, newSaved } from './saved-upload.ts'
import { sessionOf } from './session.ts'
import type { Source } from './source.ts'
import type { SavedUpload } from './store.ts'
import type { GivenSession, OpenUpload, UploadOptions } from './types.ts'

/** The options that belong to the request that created the session. */
const REQUEST_OPTIONS = [
  'name',
  'path',
  'mime',
  'size',
  'sha256',
  'attach',
  'idempotencyKey',
  'resume',
]

/** Throws a TypeError for options that cannot be combined with a session. */
export function checkSessionOptions(file: unknown, options: UploadOptions): void {
  const { session, backend } = options
  if (session === undefined) {
    if (backend !== undefined) throw new TypeError('“backend” requires a “session”.')
    return
  }
  if (!Array.isArray(session?.urls) || typeof session.upload_id !== 'string') {
    throw new TypeError('Invalid “session”. Pass the response of POST /assets/signed.')
  }
  const given = REQUEST_OPTIONS.find((name) => options[name as keyof UploadOptions] !== undefined)
  // A stream is split into parts of another size than those of the session.
  const other = isReadOnce(file) ? 'a stream' : given && `“${given}”`
  if (other) throw new TypeError(`“session” cannot be combined with ${other}.`)
}

/** The state of a session that was requested elsewhere. It is not saved here: the program that requested the session has it. */
export function savedOfSession(source: Source, session: GivenSession): SavedUpload {
  const saved = newSaved(source, { key: '', idempotencyKey: '' })
  return { ...saved, id: session.id, uploadId: session.upload_id }
}

/** Continues the session without a request. Rejects a file of another size with `file_changed`. */
export function openGivenSession(
  source: Source,
  saved: SavedUpload,
  given: GivenSession,
): OpenUpload {
  // `true` makes renewals include the upload ID, which identifies the upload of a new asset and of a new version.
  const session = sessionOf(given, true)
  const isKnown = session.urls.size + session.received.size > 0
  if (isKnown) checkSize(source, session.bytes)
  return { saved, session }
}
