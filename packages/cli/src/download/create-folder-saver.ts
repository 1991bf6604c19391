import { lstat, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Asset, NodeClient } from '@stowage/client/node'
import { writeItem } from '../output.ts'
import { sanitize } from '../text/sanitize.ts'
import { CommandFailed } from '../usage.ts'
import { enterFolder } from './enter-folder.ts'
import { createFolderTargets } from './folder-targets.ts'
import { type SaveOptions, saveAsset } from './save-asset.ts'

export interface FolderCounts {
  downloaded: number
  /** Files that already existed with the size of the asset. */
  skipped: number
}

/**
 * `save` saves an asset below `root`, in the folder of its path. Assets must be saved one by one, in the order of their
 * names. `counts` has the results.
 */
export function createFolderSaver(
  client: NodeClient,
  { root, json, ...options }: SaveOptions & { root: string; json: boolean },
) {
  const targetOf = createFolderTargets()
  const counts: FolderCounts = { downloaded: 0, skipped: 0 }

  async function save(asset: Asset): Promise<void> {
    const segments = targetOf(asset)
    const folder = await enterFolder(root, segments.slice(0, -1))
    const path = join(folder, segments.at(-1) ?? '')
    await refuseFolder(path)
    if (!options.force && (await isAlreadySaved(path, asset))) {
      counts.skipped += 1
      if (json) writeItem({ asset, path, skipped: true }, { json, text: '' })
      return
    }
    await saveAsset(client, asset, { ...options, path })
    counts.downloaded += 1
    writeItem({ asset, path }, { json, text: sanitize(path) })
  }

  return { save, counts }
}

/**
 * Whether the file exists with the size of the asset, and is not older than its current version. Throws if a
 * different file exists, so that it is not overwritten.
 */
async function isAlreadySaved(
  path: string,
  { bytes, version, updated_at }: Asset,
): Promise<boolean> {
  const stats = await lstat(path).catch(() => undefined)
  if (stats === undefined) return false
  const isOutdated = version > 1 && stats.mtimeMs < Date.parse(updated_at)
  if (stats.isFile() && stats.size === bytes && !isOutdated) return true
  const sizes = `with ${stats.size} bytes instead of ${bytes}`
  const difference = stats.size === bytes ? 'and is older than the current version' : sizes
  const problem = stats.isFile() ? difference : 'and is not a file'
  throw new CommandFailed(
    `${sanitize(path)} already exists, ${problem}. Move it, or pass --force to overwrite it.`,
  )
}

/** `downloadTo` would save the file in the folder, which may be a symbolic link to a folder outside of the root. */
async function refuseFolder(path: string): Promise<void> {
  const stats = await stat(path).catch(() => undefined)
  if (!stats?.isDirectory()) return
  throw new CommandFailed(`${sanitize(path)} already exists, and is a folder. Move it.`)
}
