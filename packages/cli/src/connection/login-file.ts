import { randomBytes } from 'node:crypto'
import { chmod, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { CommandFailed } from '../usage.ts'
import type { Connection } from './connection.ts'

/** Where programs of this system keep a user's settings. */
export function loginFile(environment: NodeJS.ProcessEnv = process.env): string {
  const { XDG_CONFIG_HOME, APPDATA } = environment
  const base =
    process.platform === 'win32' && APPDATA
      ? APPDATA
      : XDG_CONFIG_HOME || join(homedir(), '.config')
  return join(base, 'stowage', 'login.json')
}

export async function findLogin(path = loginFile()): Promise<Connection | undefined> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined
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

/** Readable by the user alone. A crash leaves the old one or the new one, never half of it. */
export async function writeLogin(connection: Connection, path = loginFile()): Promise<void> {
  const folder = dirname(path)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  await chmod(folder, 0o700)
  const beside = `${path}.${randomBytes(4).toString('hex')}`
  try {
    await writeFile(beside, `${JSON.stringify(connection, null, 2)}\n`, { mode: 0o600, flag: 'wx' })
    await rename(beside, path)
  } catch (error) {
    await rm(beside, { force: true })
    throw error
  }
}

/** Whether there was one. */
export async function removeLogin(path = loginFile()): Promise<boolean> {
  try {
    await rm(path)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false
    throw error
  }
}
