import { chmod, readFile, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { homeFolder, writePrivateFile } from '@stowage/client/internal/files'
import { CommandFailed } from '../usage.ts'
import type { Connection } from './resolve-connection.ts'

/** The path of the saved login, in the user's configuration folder. */
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
    throw new CommandFailed(`Cannot read ${path}: ${error.message}`)
  })
  if (text === undefined) return undefined
  try {
    const { url, key } = JSON.parse(text)
    if (typeof url === 'string' && (key === undefined || typeof key === 'string')) {
      return { url, key }
    }
  } catch {}
  throw new CommandFailed(`${path} is damaged. Run stowage login to replace it.`)
}

/** Writes the login to a file that only the user can read, in a folder that only the user can open. */
export async function writeLogin(connection: Connection, path = loginFile()): Promise<void> {
  try {
    await writePrivateFile(path, `${JSON.stringify(connection, null, 2)}\n`)
    await chmod(dirname(path), 0o700)
  } catch (error) {
    const { message } = error as Error
    throw new CommandFailed(
      `The login was not saved: cannot write ${path}: ${message}. Set STOWAGE_URL and STOWAGE_API_KEY instead.`,
    )
  }
}

/** Returns whether there was a login. */
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
