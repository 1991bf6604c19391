import type { ListedUpload, NodeClient } from '@stowage/client/node'
import { formatSize } from '@stowage/protocol/format'
import { PAGE_SIZE } from '../page-size.ts'
import { sanitize } from '../text/sanitize.ts'
import { CommandFailed } from '../usage.ts'
import { getAsset, UUID } from './get-asset.ts'

export interface UploadToCancel {
  id: string
  filename: string
  bytes: number
  /** The upload ID, for an unfinished replacement of a file. */
  replacement?: string | undefined
}

const MAX_CANDIDATES = 10

/** Finds the unfinished uploads with these IDs or file names, before the command discards the first one. */
export async function getUploads(client: NodeClient, wanted: string[]): Promise<UploadToCancel[]> {
  const found = new Map<string, UploadToCancel>()
  for (const one of wanted) {
    const upload = UUID.test(one) ? await getById(client, one) : await getByName(client, one)
    found.set(upload.id, upload)
  }
  return [...found.values()]
}

async function getById(client: NodeClient, id: string): Promise<UploadToCancel> {
  const { filename, bytes, status } = await getAsset(client, id)
  if (status !== 'ready') return { id: id.toLowerCase(), filename, bytes }
  for await (const upload of client.uploads({ limit: PAGE_SIZE })) {
    if (upload.is_replacement && upload.id === id.toLowerCase()) return toCancel(upload)
  }
  throw new CommandFailed(
    `${sanitize(filename)} is already uploaded. To delete the asset, run stowage rm ${id}`,
  )
}

function toCancel({
  id,
  filename,
  bytes,
  is_replacement,
  upload_id,
}: ListedUpload): UploadToCancel {
  return { id, filename, bytes, replacement: is_replacement ? upload_id : undefined }
}

async function getByName(client: NodeClient, name: string): Promise<UploadToCancel> {
  const same: ListedUpload[] = []
  for await (const upload of client.uploads({ filename: name, limit: PAGE_SIZE })) {
    if (upload.filename === name) same.push(upload)
  }
  const [upload, ...more] = same
  if (upload === undefined) {
    throw new CommandFailed(
      `There is no unfinished upload named ${sanitize(name)}. Run stowage uploads to list all of them.`,
    )
  }
  if (more.length === 0) return toCancel(upload)
  const lines = same
    .slice(0, MAX_CANDIDATES)
    .map(
      ({ id, filename, bytes, created_at }) =>
        `\n  ${sanitize(`${id}  ${filename}  ${formatSize(bytes)}  ${created_at.slice(0, 10)}`)}`,
    )
  throw new CommandFailed(
    `${same.length} unfinished uploads are named ${sanitize(name)}. Pass one of these IDs:${lines.join('')}`,
  )
}
