/** The part of an Uppy file that is used here. */
export interface UppyFile {
  /** The name of the file on disk. */
  name?: string | undefined
  /** The media type. */
  type?: string | undefined
  /** Null only for files that are not on this device. */
  size: number | null
  /** `meta.name` is the name that the user gave the file, `meta.relativePath` its path in a dropped folder. */
  meta: Record<string, unknown>
  /** The content. Another object means that the user chose another file. */
  data?: object | undefined
  /** Set if the upload is resumed after a failure or a reload. `key` is the ID of the asset. */
  s3Multipart?: { key: string; uploadId: string } | undefined
}

/** A request that `@uppy/aws-s3` wants to sign. The method and the omitted fields identify the operation. */
export interface UppyRequest {
  /** The HTTP method. */
  method: 'POST' | 'PUT' | 'GET' | 'DELETE'
  /** The key of the object. */
  key: string
  /** Omitted before the upload exists. */
  uploadId?: string
  /** Set only for sending a part. */
  partNumber?: number
}

/** The signed request. */
export interface UppySigned {
  /** The URL to send the request to. */
  url: string
  /** Replaces the key of the request. */
  key?: string
}

/** The options of `@uppy/aws-s3`, version 6, that make it upload to Stowage. */
export interface UppyOptions {
  /** Uploads every file in parts. */
  shouldUseMultipart: true
  /** Returns the size of the parts of a file. */
  getChunkSize(file: { size: number }): number
  /** Returns the key of a file. */
  generateObjectKey(file: UppyFile): string
  /** Returns the URL for a request. */
  signRequest(request: UppyRequest): Promise<UppySigned>
}
