import type { ReplacementRequest, UploadRequest } from '@stowage/protocol'
import { invalid } from '../../errors.ts'
import type { FileDetails } from '../../operations/uploads/request-upload.ts'

/** Accepts `name` or `filename`, and `mime` or `mime_type`. */
export function readFileDetails(body: UploadRequest): FileDetails {
  const file = readReplacementDetails(body)
  if (file.filename === undefined) throw invalid({ name: ['is required: send the file’s name'] })
  return { ...file, path: body.path }
}

/** A replacement may keep the name of its asset. */
export function readReplacementDetails(body: ReplacementRequest): FileDetails {
  const { name, filename, size, mime, mime_type: mimeType } = body
  const { chunk_size: chunkSize, max_chunk_size: maxChunkSize, min_size: minSize, sha256 } = body
  const given = name ?? filename
  if (filename !== undefined && filename !== given) {
    throw invalid({ filename: ['must not differ from name: send one of them'] })
  }
  const details = { size, minSize, mime: mime || mimeType, chunkSize, maxChunkSize, sha256 }
  return { filename: given, ...details }
}
