import { stat } from 'node:fs/promises'
import { join, sep } from 'node:path'
import type { Asset } from '@stowage/client'
import { safeName } from './safe-name.ts'

/** The path to save an asset to. In a folder, it ends with the sanitized name of the asset. */
export async function targetPath(path: string | undefined, asset: Asset): Promise<string> {
  const name = safeName(asset.filename)
  if (path === undefined) return name
  return (await isFolder(path)) ? join(path, name) : path
}

/** Whether the path is an existing folder, or ends with a separator. */
export async function isFolder(path: string): Promise<boolean> {
  if (path.endsWith('/') || path.endsWith(sep)) return true
  return stat(path).then(
    (stats) => stats.isDirectory(),
    () => false,
  )
}
