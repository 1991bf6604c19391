/** The bytes from `start` up to, not including, `end`. */
export interface Range {
  start: number
  end: number
}

export interface PutAnswer {
  status: number
  body: string
  /** Null where there is none, or a page may not read it. */
  header(name: string): string | null
}

export interface PutOptions {
  signal: AbortSignal
  /** No progress for so long ends the attempt with `timeout`. */
  stallMs: number
  /** How many bytes of the range have left us so far. */
  onSent(bytes: number): void
  /**
   * Told the digest of what is being sent; empty, where it is sent again sooner than digested. If it
   * rejects, so does the PUT.
   */
  onDigest(digest: string): Promise<void>
}

/**
 * `same`: nothing was written since. `unsure`: only the digests can tell. `changed`: it is another
 * file now.
 */
export type Likeness = 'same' | 'unsure' | 'changed'

/** A file to be sent, read a piece at a time and never whole. */
export interface Source {
  name: string
  /** Of a stream of unknown length: what is declared. */
  size: number
  mime: string
  /** What it is known by between attempts; undefined: it is not remembered. */
  key: string | undefined
  /** Stands for the content, as far as the system tells without reading it. */
  version: string
  /** Whether `unsure` means that something happened to it; a browser tells no more than that. */
  isWatched: boolean
  /** How long parts are to be; undefined: as the service has it. */
  chunkSize?: number | undefined
  /** Compares what the file is now with the version of then. */
  compare(version: string): Promise<Likeness>
  /**
   * Left out: every range can be put at any time. Otherwise whether this one can. While it is being
   * read, `onReady` is called once it can be put or reading it failed. `beyond`: the stream has ended
   * before the end of this range, and its true length has to be declared first.
   */
  prepare?(range: Range, onReady: () => void): 'ready' | 'reading' | 'beyond'
  /**
   * Of a stream of unknown length: the size to declare once all parts of the current one have arrived;
   * undefined when that is the true one. `isTight`: no more than what was read, as there is no room.
   */
  nextSize?(isTight: boolean): Promise<number | undefined>
  /** The range has arrived, and will not be put again. */
  release?(range: Range): void
  /**
   * Sends the range with one PUT. Rejects with `network`, `timeout`, `file_changed` or
   * `file_unreadable`; every answer of the storage, refusals too, is returned.
   */
  put(url: string, range: Range, options: PutOptions): Promise<PutAnswer>
  /** The same for the same bytes. */
  digest(range: Range, signal: AbortSignal | undefined): Promise<string>
  close(): Promise<void>
}

export type PutBytes = (
  url: string,
  bytes: Uint8Array<ArrayBuffer>,
  options: PutOptions,
) => Promise<PutAnswer>

export interface SourceOptions {
  name?: string | undefined
  mime?: string | undefined
  /** Of a stream, where it is known. */
  size?: number | undefined
  /** How bytes of a stream are sent; left out: as in a page. */
  putBytes?: PutBytes | undefined
  /** Ends the opening of a stream, whose first part is read then. */
  signal?: AbortSignal | undefined
}
