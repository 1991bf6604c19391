import { access, constants, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Finding } from '../domain/finding.ts'

/** Whether the folder can be used, or made where it is not there yet. */
export async function* examineDataFolder(directory: string): AsyncIterable<Finding> {
  const problem = await problemOf(directory)
  if (problem === undefined) return
  yield {
    about: 'settings',
    verdict: 'wrong',
    says: `STOWAGE_DATA=${directory}: ${problem}`,
    remedy: 'set STOWAGE_DATA to a folder that the user who runs the service may write to',
  }
}

async function problemOf(path: string): Promise<string | undefined> {
  try {
    if (!(await stat(path)).isDirectory()) return `${path} is no folder`
    await access(path, constants.R_OK | constants.W_OK | constants.X_OK)
    return undefined
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    // It is made at the first start, and so are those around it.
    if (code === 'ENOENT' && dirname(path) !== path) return problemOf(dirname(path))
    return `this user may not use ${path}`
  }
}
