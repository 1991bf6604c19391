import { join } from 'node:path'
import { homeFolder } from './home-folder.ts'

/** A folder of Stowage's, by name, in the folder where this system's programs keep their state. */
export function stateFolder(name: string): string {
  const { XDG_STATE_HOME, LOCALAPPDATA } = process.env
  const base =
    process.platform === 'win32' && LOCALAPPDATA
      ? LOCALAPPDATA
      : XDG_STATE_HOME || join(homeFolder(), '.local', 'state')
  return join(base, 'stowage', name)
}
