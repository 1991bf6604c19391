import { stat } from 'node:fs/promises'
import { join, sep } from 'node:path'
import type { Asset } from '@stowage/client'
import { safeName } from './safe-name.ts'

/** Where an asset is saved: in a folder under its own name, made safe; else as the path says. */
export async function targetPath(path: string | undefined, asset: Asset): Promise<string> {
  const name = safeName(asset.filename)
  if (path === undefined) return name
  return (await isFolder(path)) ? join(path, name) : path
}

/** Whether it is there as a folder, or is written like one. */
export async function isFolder(path: string): Promise<boolean> {
  if (path.endsWith('/') || path.endsWith(sep)) return true
  return stat(path).then(
    (stats) => stats.isDirectory(),
    () => false,
  )
}
