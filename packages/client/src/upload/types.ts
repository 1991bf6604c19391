import type {
  Asset,
  CompletedPart,
  ProductReferences,
  ResumedUpload,
  UploadSession,
} from '@stowage/protocol'
import type { RetryOptions } from '../options.ts'
import type { Request } from '../request.ts'
import type { Progress } from './progress.ts'
import type { Queue } from './queue.ts'
import type { Session } from './session.ts'
import type { Source, SourceOptions } from './source.ts'
import type { SavedUpload, UploadStore } from './store.ts'

/** The options of `upload`. */
export interface UploadOptions {
  /** The file name of the asset. Default: the name of the file. */
  name?: string | undefined
  /**
   * The folder that the file came from, such as `course/week 1`; null for none. Default: the folder in
   * `webkitRelativePath`, which browsers set for files of a chosen folder.
   */
  path?: string | null | undefined
  /** The media type of the asset. Default: the type of the file, if known. */
  mime?: string | undefined
  /** The length of a stream in bytes, if known. Required for streams of more than 160 GB. */
  size?: number | undefined
  /**
   * The SHA-256 of the file in hexadecimal, or a function that returns it. `true`: the client computes it; only for a
   * path in Node. It is computed, and the function is called, only if a new upload starts. If the service computes
   * checksums (`STOWAGE_CHECKSUMS`) and the stored bytes do not match it, the file can never be downloaded.
   */
  sha256?: string | true | (() => Promise<string>) | undefined
  /**
   * Stops the upload. It then rejects with the signal's reason and can be resumed later. The upload of a
   * stream cannot be resumed, so it is cancelled.
   */
  signal?: AbortSignal | undefined
  /** Called at most every 100 ms, and at every change of `state` or `problem`. */
  onProgress?: ((progress: Progress) => void) | undefined
  /**
   * Products to attach the asset to. If one is unknown, the upload rejects with `invalid` before a byte is
   * sent, and nothing is stored.
   */
  attach?: ProductReferences | undefined
  /** The same key with the same file returns the same asset. Default: a random key, which is stored. */
  idempotencyKey?: string | undefined
  /**
   * What to do with an unfinished upload of the same file. `true`, the default: resume it; if the file has
   * changed since, cancel it and start a new one. `false`: cancel it and start a new one. The ID of an asset:
   * resume the upload of that asset, wherever it was started, and reject with `file_changed` if the file is
   * known to differ. In a browser, a file with another size or modification time is a different file.
   */
  resume?: boolean | string | undefined
  /**
   * A session that the backend of the page requested for this file: the response of `POST /assets/signed`,
   * `POST /assets/:id/signed` or `GET /assets/:id/upload`. The missing parts are sent, and no state is stored in the
   * browser. Cannot be combined with options that belong to that request, such as `name` or `attach`. A file of another
   * size is refused with `file_changed`.
   */
  session?: GivenSession | undefined
  /** Completes and renews the `session`, for pages without an API key. Default: the client calls the service. */
  backend?: SessionBackend | undefined
  /** Retry options for this upload. They override those of the client. */
  retry?: RetryOptions | undefined
}

/** An upload session, as the service returns it. */
export type GivenSession = UploadSession | ResumedUpload

/** Identifies an upload at the service. */
export interface UploadIds {
  /** The ID of the asset. */
  id: string
  /** The ID of the upload. */
  upload_id: string
}

/**
 * Calls the backend of the page, which calls the service and returns its response: the same status and body. Failures
 * are retried like those of the service.
 */
export interface SessionBackend {
  /**
   * The backend calls `POST /assets/:id/uploaded`. `parts` are the ETags that the storage returned; the backend may
   * omit them from its call.
   */
  complete(upload: UploadIds & { parts: CompletedPart[] }, signal: AbortSignal): Promise<Response>
  /** The backend calls `GET /assets/:id/upload?upload_id=…`, for new URLs and for the list of parts that have arrived. */
  renew(upload: UploadIds, signal: AbortSignal): Promise<Response>
  /** The backend calls `POST /assets/:id/cancel`. If omitted, a cancelled upload expires later. */
  cancel?(upload: UploadIds, signal: AbortSignal): Promise<Response>
}

/** The options of `replace`. `name` is the new name of the asset; by default, it keeps its name. */
export interface ReplaceOptions
  extends Omit<UploadOptions, 'path' | 'attach' | 'resume' | 'session' | 'backend'> {
  /**
   * What to do with an unfinished replacement of this asset with the same file. `true`, the default: resume it;
   * if the file has changed since, cancel it and start a new one. `false`: cancel it and start a new one. An
   * upload ID: resume that replacement, wherever it was started, and reject with `file_changed` if the file is
   * known to differ. In a browser, a file with another size or modification time is a different file.
   */
  resume?: boolean | string | undefined
}

/**
 * A running upload: a promise of the asset, with controls. To return it from an async function, wrap it in
 * an object: otherwise the function waits for the asset. If the promise is not awaited, a failure causes no
 * unhandled rejection.
 */
export interface Upload extends Promise<Asset> {
  /** The ID of the asset; undefined until the service has assigned one. */
  readonly id: string | undefined
  /** The current progress. */
  readonly progress: Progress
  /** Stops sending. Incomplete parts are sent again after `resume()`. */
  pause(): void
  /** Continues after `pause()`. */
  resume(): void
  /**
   * Cancels the upload: the service removes the received parts, and the upload rejects with `cancelled`.
   * If the file was already complete, this call rejects with `already_uploaded` and the upload resolves.
   */
  cancel(): Promise<void>
}

/** The values that all uploads of a client share. */
export interface UploadContext {
  request: Request
  queue: Queue
  store: UploadStore
  /** The service's URL, for the keys of the store. */
  baseUrl: string
  /** Identifies the API key in the store. */
  owner: string
  retry: RetryOptions
  stallMs: number
  /** Whether a connection to the storage was ever made. */
  storageContact: { isMade: boolean }
  /** The files that are being uploaded. A second upload of the same file creates another asset. */
  active: Set<string>
  /** Throws a TypeError for an input that cannot be uploaded. */
  check(file: unknown): void
  open(file: unknown, options: SourceOptions): Promise<Source> | Source
}

/** A session, and the state that is saved to resume it. */
export interface OpenUpload {
  saved: SavedUpload
  session: Session
}
