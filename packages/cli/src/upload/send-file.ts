import { type Asset, isStowageError, type NodeClient, type Upload } from '@stowage/client/node'
import type { UploadPlan } from './check-upload.ts'
import type { LocalFile } from './collect-files.ts'
import { hashFile } from './hash-file.ts'

export interface SendOptions {
  client: NodeClient
  signal: AbortSignal
  /** Called before the first byte is sent. */
  onStart(upload: Upload): void
}

export type Outcome =
  | { file: LocalFile; asset: Asset; isSkipped: boolean }
  | { file: LocalFile; error: unknown; upload: Upload | undefined }

/** Uploads a file, unless an earlier command did and its asset still exists. Never throws. */
export async function sendFile(
  plan: UploadPlan,
  file: LocalFile,
  { client, signal, onStart }: SendOptions,
): Promise<Outcome> {
  const { completed, products, request } = plan
  let upload: Upload | undefined
  let recorded: Promise<void> | undefined
  try {
    signal.throwIfAborted()
    const earlier = request.again ? undefined : await findEarlier(plan, file, { client, signal })
    if (earlier !== undefined) return { file, asset: earlier, isSkipped: true }
    const started = client.upload(
      { path: file.path },
      {
        name: file.name,
        // Without a folder, an upload that is resumed keeps the path that it was started with.
        ...(file.folder !== undefined && { path: file.folder }),
        sha256: () => hashFile(file.path, signal),
        signal,
        ...(request.restart && { resume: false }),
        ...(products && { attach: products }),
        // Recorded before the client deletes its own record: after a crash, the file is not sent twice.
        onProgress({ state }) {
          if (state !== 'finishing' || started.id === undefined) return
          recorded ??= completed.add(file, started.id)
        },
      },
    )
    upload = started
    onStart(started)
    return { file, asset: await started, isSkipped: false }
  } catch (error) {
    return { file, error, upload }
  } finally {
    await recorded
  }
}

/**
 * Finds the asset that an earlier command created from this file, and attaches the products to it. Another account's
 * asset is not found.
 */
async function findEarlier(
  { completed, products }: UploadPlan,
  file: LocalFile,
  { client, signal }: Pick<SendOptions, 'client' | 'signal'>,
): Promise<Asset | undefined> {
  const id = await completed.find(file)
  if (id === undefined) return undefined
  try {
    const asset = await client.asset(id, { signal })
    if (asset.status !== 'ready') return undefined
    return products === undefined ? asset : await client.attach(id, products, { signal })
  } catch (error) {
    if (isStowageError(error, 'not_found')) return undefined
    throw error
  }
}
