import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Asset } from '@stowage/client'
import { plain } from '../text/plain.ts'
import { CommandFailed } from '../usage.ts'
import { safeName } from './safe-name.ts'

/** Where an asset is saved: in a folder under its own name, made safe; else as the path says. */
export async function targetOf(path: string | undefined, asset: Asset): Promise<string> {
  const name = safeName(asset.filename)
  if (path === undefined) return name
  const isFolder = path.endsWith('/') || (await find(path))?.isDirectory() === true
  return isFolder ? join(path, name) : path
}

/** What is there stays, unless it was said otherwise. */
export async function refuseToOverwrite(path: string): Promise<void> {
  if ((await find(path)) !== undefined) throw alreadyThere(path)
}

export function alreadyThere(path: string): CommandFailed {
  const ways = '--force writes over it, -o saves it elsewhere'
  return new CommandFailed(`${plain(path)} is there already: ${ways}`)
}

export async function isFolder(path: string): Promise<boolean> {
  return (await find(path))?.isDirectory() === true
}

async function find(path: string) {
  return stat(path).catch(() => undefined)
}
