import { lstat, mkdir, realpath } from 'node:fs/promises'
import { join, sep } from 'node:path'
import { makeFolder } from '@stowage/client/internal/files'
import { sanitize } from '../text/sanitize.ts'
import { CommandFailed } from '../usage.ts'

/**
 * Creates the folders below `root` and returns the path of the last one. Refuses to follow a symlink out of
 * `root`, and to replace a file.
 */
export async function enterFolder(root: string, folders: string[]): Promise<string> {
  await makeFolder(root)
  const real = await realpath(root)
  let path = root
  for (const folder of folders) {
    path = join(path, folder)
    await mkdir(path).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error
    })
    const target = await realpath(path).catch(() => undefined)
    if (target === undefined || !`${target}${sep}`.startsWith(withSeparator(real))) {
      throw new CommandFailed(
        `${sanitize(path)} is a symbolic link that points outside of ${sanitize(root)}. Remove it, or pass another folder.`,
      )
    }
    if (!(await lstat(target)).isDirectory()) {
      throw new CommandFailed(
        `Cannot create the folder ${sanitize(path)}: a file has this name. Move the file, or pass another folder.`,
      )
    }
  }
  return path
}

/** The root of the file system ends with a separator already. */
function withSeparator(path: string): string {
  return path.endsWith(sep) ? path : `${path}${sep}`
}
