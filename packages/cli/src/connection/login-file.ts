import { chmod, readFile, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { homeFolder, writePrivateFile } from '@stowage/client/internal/files'
import { CommandFailed } from '../usage.ts'
import type { Connection } from './resolve-connection.ts'

/** Where programs of this system keep a user's settings. */
export function loginFile(environment: NodeJS.ProcessEnv = process.env): string {
  const { XDG_CONFIG_HOME, APPDATA } = environment
  const base =
    process.platform === 'win32' && APPDATA
      ? APPDATA
      : XDG_CONFIG_HOME || join(homeFolder(), '.config')
  return join(base, 'stowage', 'login.json')
}

export async function findLogin(path = loginFile()): Promise<Connection | undefined> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (isMissing(error)) return undefined
    throw new CommandFailed(`${path} can’t be read: ${error.message}`)
  })
  if (text === undefined) return undefined
  try {
    const { url, key } = JSON.parse(text)
    if (typeof url === 'string' && (key === undefined || typeof key === 'string')) {
      return { url, key }
    }
  } catch {}
  throw new CommandFailed(`${path} is damaged; stowage login writes it anew`)
}

/** Readable by the user alone, in a folder that was made for it alone. */
export async function writeLogin(connection: Connection, path = loginFile()): Promise<void> {
  try {
    await writePrivateFile(path, `${JSON.stringify(connection, null, 2)}\n`)
    await chmod(dirname(path), 0o700)
  } catch (error) {
    const { message } = error as Error
    throw new CommandFailed(
      `nothing is kept: ${path} can’t be written: ${message}. STOWAGE_URL and STOWAGE_API_KEY need no file`,
    )
  }
}

/** Whether there was one. */
export async function removeLogin(path = loginFile()): Promise<boolean> {
  try {
    await rm(path)
    return true
  } catch (error) {
    if (isMissing(error as NodeJS.ErrnoException)) return false
    throw error
  }
}

function isMissing({ code }: NodeJS.ErrnoException): boolean {
  return code === 'ENOENT' || code === 'ENOTDIR'
}
