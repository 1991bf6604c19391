/** As much of a file of Uppy's as we use. */
export interface UppyFile {
  name?: string | undefined
  type?: string | undefined
  /** Null only of files that are not on this device. */
  size: number | null
  /** Its `name` is what the user made of it. */
  meta: Record<string, unknown>
  /** Its bytes: the same object as long as it is the same file. */
  data?: object | undefined
  /** Of an upload that goes on after a failure or a reload: `key` is the asset's id. */
  s3Multipart?: { key: string; uploadId: string } | undefined
}

/** What `@uppy/aws-s3` asks to be signed. Its `method` and what is left out tell which it is. */
export interface UppyRequest {
  method: 'POST' | 'PUT' | 'GET' | 'DELETE'
  key: string
  uploadId?: string
  partNumber?: number
}

export interface UppySigned {
  url: string
  /** In the place of the key that was asked for. */
  key?: string
}

/** The options of `@uppy/aws-s3`, version 6, that make it upload to Stowage. */
export interface UppyOptions {
  shouldUseMultipart: true
  getChunkSize(file: { size: number }): number
  generateObjectKey(file: UppyFile): string
  signRequest(request: UppyRequest): Promise<UppySigned>
}
