import { StowageError } from '../errors.ts'
import { openBlob } from './blob-source.ts'
import type { Source, SourceOptions } from './source.ts'
import type { ByteStream } from './stream-source.ts'

/** A File, a Blob, or bytes in memory. */
export type BlobInput = Blob | ArrayBuffer | Uint8Array

/** Bytes that can be read only once. The name, type and length of a Response are taken from it. */
export type StreamInput = Response | ByteStream

/** Throws a TypeError for any other input. A Blob made of it would silently contain its text form. */
export function checkInput(input: unknown): asserts input is BlobInput | StreamInput {
  if (isBlob(input) || isBytes(input) || isReadOnce(input)) return
  throw new TypeError(
    isUrl(input)
      ? 'Cannot upload a URL. Pass its content: upload(await fetch(url)). To store a link to it, call store({ filename, url }).'
      : `Cannot upload ${nameOf(input)}. Pass a File, Blob, ArrayBuffer, Uint8Array, stream or Response; a path only with @stowage/client/node.`,
  )
}

export function isUrl(input: unknown): boolean {
  return /String|URL/.test(nameOf(input)) && /^https?:\/\//i.test(`${input}`)
}

export async function openInput(
  input: BlobInput | StreamInput,
  options: SourceOptions,
): Promise<Source> {
  if (isBlob(input)) return openNamed(input, options)
  if (isBytes(input)) return openNamed(new Blob([input as ArrayBuffer]), options)
  if (!isResponse(input)) return openBytes(input, options)
  const { ok, status, headers, url, body } = input
  if (!ok) {
    throw new StowageError(
      'file_unreadable',
      `The response passed to upload() is an error (HTTP ${status}).`,
    )
  }
  // Content-Length counts encoded bytes, but the body is read decoded.
  const length = headers.has('content-encoding') ? null : headers.get('content-length')
  const { name = decodeURIComponent(url.split(/[?#]/)[0]?.split('/').at(-1) ?? '') || 'file' } =
    options
  const { mime = headers.get('content-type') ?? '', size = length ? Number(length) : undefined } =
    options
  return openBytes(body ?? new Blob([]).stream(), { ...options, name, mime, size })
}

/** The media type that the browser or the caller states, or that of the name. */
async function openNamed(blob: Blob, options: SourceOptions): Promise<Source> {
  const { name = (blob as Partial<File>).name, mime = blob.type } = options
  if (mime || !name) return openBlob(blob, options)
  const { mimeOf } = await import('../on-demand.ts')
  return openBlob(blob, { ...options, mime: mimeOf(name) })
}

async function openBytes(stream: ByteStream, given: SourceOptions): Promise<Source> {
  const { name = '', size } = given
  const { mimeOf, openStream, openStreamOfUnknownLength } = await import('../on-demand.ts')
  const options = { ...given, mime: given.mime || mimeOf(name) }
  return size === undefined
    ? openStreamOfUnknownLength(stream, options)
    : openStream(stream, { ...options, size })
}

// Not by instanceof: objects of another frame are instances of that frame's classes.
const nameOf = (input: unknown) => Object.prototype.toString.call(input)
const isBlob = (input: unknown): input is Blob => / (Blob|File)]/.test(nameOf(input))
const isBytes = (input: unknown): input is ArrayBuffer | Uint8Array =>
  / (ArrayBuffer|Uint8Array)]/.test(nameOf(input))
const isResponse = (input: unknown): input is Response => / Response]/.test(nameOf(input))

/** Whether the input can be read only once. The state of its upload is not saved. */
export function isReadOnce(input: unknown): input is StreamInput {
  return isResponse(input) || isStream(input)
}

/** Includes Node streams and async generators. */
export function isStream(input: unknown): input is ByteStream {
  return (
    typeof input === 'object' &&
    input !== null &&
    ('getReader' in input || Symbol.asyncIterator in input)
  )
}
