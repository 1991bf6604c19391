import type { Client, ReplaceOptions, Upload, UploadOptions } from '@stowage/client'
import type { PickedFile } from './picked-file.ts'

interface Options extends Pick<ReplaceOptions, 'signal' | 'onProgress'> {
  /**
   * The ID of the asset whose upload is resumed. Not used for a replacement: the client finds the unfinished
   * replacement by its file.
   */
  resume: UploadOptions['resume']
}

/** Uploads the file as a new asset or, if it replaces an asset, as its new version. */
export function sendFile(
  client: Client,
  { file, attach, replaces }: PickedFile,
  { resume, ...options }: Options,
): Upload {
  if (replaces === undefined) return client.upload(file, { ...options, resume, attach })
  return client.replace(replaces.id, file, { ...options, name: replaces.newName })
}
