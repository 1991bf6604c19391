import { dirname } from 'node:path'
import { makeFolder } from '@stowage/client/internal/files'
import { type Asset, isStowageError, type NodeClient } from '@stowage/client/node'
import { openLiveLines } from '../terminal/live-lines.ts'
import { progressLine } from '../text/progress-line.ts'
import { sanitize } from '../text/sanitize.ts'
import { CommandFailed, isSystemError } from '../usage.ts'

export interface SaveOptions {
  force: boolean
  signal: AbortSignal
}

/** Downloads an asset to a path, with a progress line. Resumes an earlier download. Returns the path. */
export async function saveAsset(
  client: NodeClient,
  asset: Asset,
  { path, force, signal }: SaveOptions & { path: string },
): Promise<string> {
  const live = openLiveLines()
  try {
    await makeFolder(dirname(path))
    const saved = await client.downloadTo(asset.id, path, {
      signal,
      overwrite: force,
      onProgress: (now) =>
        live.show([progressLine({ name: asset.filename, ...now }, live.columns() - 1)]),
    })
    return saved.path
  } catch (error) {
    if (isStowageError(error, 'file_exists')) {
      throw new CommandFailed(
        `${sanitize(path)} already exists. Pass --force to overwrite it, or -o to save elsewhere.`,
      )
    }
    if (isStowageError(error) || signal.aborted || !isSystemError(error)) throw error
    throw new CommandFailed(
      sanitize(`Cannot write ${path}: ${error.message}. Run the same command again to resume.`),
    )
  } finally {
    live.clear()
  }
}
