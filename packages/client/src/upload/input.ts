import { StowageError } from '../errors.ts'
import { openBlob } from './blob-source.ts'
import type { ByteStream } from './part-reader.ts'
import type { Source, SourceOptions } from './source.ts'
import { openEndedStream, openStream } from './stream-source.ts'

/** A File, a Blob, or bytes in memory. */
export type BlobInput = Blob | ArrayBuffer | Uint8Array

/** Bytes that can be read once. A Response tells its name, type and length by itself. */
export type StreamInput = Response | ByteStream

/** Throws a TypeError for anything else: as text it would be stored as something that nobody meant. */
export function checkInput(input: unknown): asserts input is BlobInput | StreamInput {
  if (isBlob(input) || isBytes(input) || isOnce(input)) return
  throw new TypeError(
    `Cannot upload ${nameOf(input)}. Pass a File, Blob, ArrayBuffer, Uint8Array, stream or Response; a path only with @stowage/client/node.`,
  )
}

export async function openInput(
  input: BlobInput | StreamInput,
  options: SourceOptions,
): Promise<Source> {
  if (isBlob(input)) return openBlob(input, options)
  if (isBytes(input)) return openBlob(new Blob([input as ArrayBuffer]), options)
  if (!isResponse(input)) return openBytes(input, options)
  const { ok, status, headers, url, body } = input
  if (!ok) {
    throw new StowageError(
      'file_unreadable',
      `The response to upload is an error (HTTP ${status}).`,
    )
  }
  // What is encoded for the way is longer or shorter than what is read here.
  const length = headers.has('content-encoding') ? null : headers.get('content-length')
  const { name = decodeURIComponent(url.split(/[?#]/)[0]?.split('/').at(-1) ?? '') || 'file' } =
    options
  const { mime = headers.get('content-type') ?? '', size = length ? Number(length) : undefined } =
    options
  return openBytes(body ?? new Blob([]).stream(), { ...options, name, mime, size })
}

function openBytes(stream: ByteStream, options: SourceOptions): Promise<Source> | Source {
  const { size } = options
  return size === undefined
    ? openEndedStream(stream, options)
    : openStream(stream, { ...options, size })
}

// By name, as objects of another frame are instances of that frame's classes.
const nameOf = (input: unknown) => Object.prototype.toString.call(input)
const isBlob = (input: unknown): input is Blob => / (Blob|File)]/.test(nameOf(input))
const isBytes = (input: unknown): input is ArrayBuffer | Uint8Array =>
  / (ArrayBuffer|Uint8Array)]/.test(nameOf(input))
const isResponse = (input: unknown): input is Response => / Response]/.test(nameOf(input))

/** Nothing of it was ever remembered, as it can be read once. */
export function isOnce(input: unknown): input is StreamInput {
  return isResponse(input) || isStream(input)
}

/** Also the streams of Node, and what an async generator yields. */
export function isStream(input: unknown): input is ByteStream {
  return (
    typeof input === 'object' &&
    input !== null &&
    ('getReader' in input || Symbol.asyncIterator in input)
  )
}
