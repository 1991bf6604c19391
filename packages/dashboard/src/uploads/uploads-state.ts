import type { NameConflict } from './check-files.ts'
import type { PickedFile } from './picked-file.ts'
import type { ResumableUpload } from './resumable-upload.ts'
import type { UploadItem } from './upload-item.ts'

export interface UploadsState {
  items: readonly UploadItem[]
  resumable: readonly ResumableUpload[]
  /** Files that were not uploaded, because the plan had no room for them. */
  refused: readonly PickedFile[]
  /** Files whose names already exist. They are not uploaded until the user decides. */
  conflicts: readonly NameConflict[]
  /** Files that are uploaded as soon as the service can be reached. */
  waiting: readonly PickedFile[]
  /** What happens to dropped files. Undefined: they become new assets. */
  target: UploadTarget | undefined
}

/** What to do with a file whose name already exists. */
export type ConflictChoice = 'replace' | 'keep-both' | 'skip'

/** What the page that is open does with dropped files. */
export interface UploadTarget {
  /** What a drop does, such as “Drop a file to replace”. The name follows it. */
  text: string
  /** Of the product or the asset whose page is open. */
  name?: string
  /** Products to attach the files to. */
  attach?: PickedFile['attach']
  /** Gets the files instead of the store: the page asks what to do with them. */
  onFiles?(files: readonly PickedFile[]): void
}

/** All uploads of this tab. They are independent of the page that is open. */
export interface UploadStore {
  /** Calls the listener after changes; for progress at most every 100 ms. */
  subscribe(listener: () => void): () => void
  read(): UploadsState
  /**
   * Waits until the service can be reached. Files whose names already exist become conflicts, unless they
   * replace an asset. Of the others, those that the plan has room for are uploaded. A replacement discards an earlier one of the same asset that has stopped
   * or was interrupted.
   */
  add(files: readonly PickedFile[]): Promise<void>
  /** Decides about the first conflict, or about all of them. */
  resolveConflict(choice: ConflictChoice, options: { isForAll: boolean }): void
  /** Discards the files that wait for the service. */
  cancelWaiting(): void
  /** Sets what happens to dropped files. */
  setTarget(target: UploadTarget | undefined): void
  /** Uploads the refused files that the plan has room for now. Returns how many there are. */
  retryRefused(): Promise<number>
  dismissRefused(): void
  pause(key: number): void
  resume(key: number): void
  /** Resumes an upload that failed. */
  retry(key: number): void
  /** Removes the upload from the tray and cancels it unless it has finished. */
  remove(key: number): void
  pauseAll(): void
  resumeAll(): void
  cancelAll(): void
  clearDone(): void
  /** Repeats at once what failed while the service could not be reached. */
  retryUnreached(): void
  /** A file that does not match sets the `problem` of the upload. */
  resumeWith(upload: ResumableUpload, file: File): void
  discard(upload: ResumableUpload): Promise<void>
  /** Stops all uploads. They can be resumed later. */
  close(): void
}

export interface StoreEvents {
  onReady(uploaded: PickedFile): void
  onAddError(error: unknown): void
  onCancelError(error: unknown): void
}
