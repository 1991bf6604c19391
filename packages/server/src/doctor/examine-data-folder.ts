import { access, constants, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Finding } from '../domain/finding.ts'

/** Checks that the folder can be used, or created if it does not exist. */
export async function* examineDataFolder(directory: string): AsyncIterable<Finding> {
  const problem = await findProblem(directory)
  if (problem === undefined) return
  yield {
    check: 'settings',
    status: 'error',
    message: `STOWAGE_DATA=${directory}: ${problem}`,
    remedy: 'set STOWAGE_DATA to a folder that the user of the service can write to',
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
