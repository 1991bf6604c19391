import { join } from 'node:path'
import { homeFolder } from './home-folder.ts'

/** Returns the path of a folder of Stowage inside the folder where programs of this system keep state. */
export function stateFolder(name: string): string {
  const { XDG_STATE_HOME, LOCALAPPDATA } = process.env
  const base =
    process.platform === 'win32' && LOCALAPPDATA
      ? LOCALAPPDATA
      : XDG_STATE_HOME || join(homeFolder(), '.local', 'state')
  return join(base, 'stowage', name)
}
