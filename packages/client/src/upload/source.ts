/** The bytes from `start` up to, but not including, `end`. */
export interface Range {
  start: number
  end: number
}

export interface PutResponse {
  status: number
  body: string
  /** Null if the header is missing, or if CORS hides it from the page. */
  header(name: string): string | null
}

export interface PutOptions {
  signal: AbortSignal
  /** Without progress for this long, the request is aborted with `timeout`. */
  stallMs: number
  /** Called with the number of bytes of the range that have been sent so far. */
  onSent(bytes: number): void
  /**
   * Called with the digest of the range, or with an empty string if the connection is so fast that sending
   * the range again costs less than a digest. If it rejects, so does the PUT.
   */
  onDigest(digest: string): Promise<void>
}

/** `same`: the file was not written to. `unsure`: only digests can show a difference. `changed`: the file differs. */
export type Comparison = 'same' | 'unsure' | 'changed'

/** A file to upload. It is read in pieces, never as a whole. */
export interface Source {
  name: string
  /** For a stream of unknown length, the size declared so far. */
  size: number
  /** For a stream of unknown length, the bytes read before the upload was opened: `size` is an estimate. */
  minSize?: number | undefined
  mime: string
  /** The folder of the file inside the folder that the user chose, if known. */
  path?: string | undefined
  /** Identifies the file in the store; undefined if its state is not saved. */
  key: string | undefined
  /** Identifies the content, as far as possible without reading it: size, time and the like. */
  version: string
  /**
   * Whether `unsure` shows that something happened to the file. In browsers it does not: they reveal only the size and
   * the time, so even an untouched file is `unsure`.
   */
  isWatched: boolean
  /** The size of the parts; undefined: the default of the service. */
  chunkSize?: number | undefined
  /** Compares the current file with an earlier version. */
  compare(version: string): Promise<Comparison>
  /**
   * Returns whether the range can be sent now. If omitted, every range can be sent at any time. `reading`:
   * `onReady` is called once the range can be sent, or reading it failed. `beyond`: the stream ended before
   * the end of the range, so its actual length has to be declared first.
   */
  prepare?(range: Range, onReady: () => void): 'ready' | 'reading' | 'beyond'
  /**
   * For a stream of unknown length: returns the size to declare once all parts of the current size are
   * stored, or undefined if the current size is the actual one. With `minSize`, the size is an estimate, and
   * `minSize` bytes were read.
   */
  nextSize?(): Promise<{ size: number; minSize?: number } | undefined>
  /** Called when the range is stored and will not be sent again. */
  release?(range: Range): void
  /**
   * Sends the range with one PUT. Returns every response of the storage, including errors. Rejects with
   * `network`, `timeout`, `file_changed` or `file_unreadable`.
   */
  put(url: string, range: Range, options: PutOptions): Promise<PutResponse>
  /** Returns a digest of the range: equal bytes have equal digests. */
  digest(range: Range, signal: AbortSignal | undefined): Promise<string>
  close(): Promise<void>
}

export type PutBytes = (
  url: string,
  bytes: Uint8Array<ArrayBuffer>,
  options: PutOptions,
) => Promise<PutResponse>

export interface SourceOptions {
  name?: string | undefined
  mime?: string | undefined
  /** The length of a stream, if known. */
  size?: number | undefined
  /** Sends bytes of a stream. Default: the function for browsers. */
  putBytes?: PutBytes | undefined
  /** Aborts opening a stream of unknown length. Its first part is read while it is opened. */
  signal?: AbortSignal | undefined
}
