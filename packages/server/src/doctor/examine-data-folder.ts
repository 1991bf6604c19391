import { access, constants, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Finding } from '../domain/finding.ts'
import { listExposedFiles } from '../private-files.ts'

/** Checks that the folder can be used, or created if it does not exist, and that its files are private. */
export async function* examineDataFolder(directory: string): AsyncIterable<Finding> {
  const problem = await findProblem(directory)
  if (problem !== undefined) {
    yield {
      check: 'settings',
      status: 'error',
      message: `STOWAGE_DATA=${directory}: ${problem}`,
      remedy: 'set STOWAGE_DATA to a folder that the user of the service can write to',
    }
    return
  }
  const exposed = await listExposedFiles(directory)
  if (exposed.length === 0) return
  yield {
    check: 'settings',
    status: 'note',
    message: `STOWAGE_DATA=${directory}: other users of this machine can read private files`,
    items: exposed,
    // Not changed automatically: the operator may have given access to a program for backups.
    remedy: `chmod 700 ${directory}, or chmod 600 these files`,
  }
}

async function findProblem(path: string): Promise<string | undefined> {
  try {
    if (!(await stat(path)).isDirectory()) return `${path} is not a folder`
    await access(path, constants.R_OK | constants.W_OK | constants.X_OK)
    return undefined
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    // The first start creates it, with its parent folders.
    if (code === 'ENOENT' && dirname(path) !== path) return findProblem(dirname(path))
    return `this user cannot read and write ${path}`
  }
}
