import { existsSync } from 'node:fs'
import { access, constants } from 'node:fs/promises'
import { formatSize } from '@stowage/protocol/format'
import type { Finding } from '../../domain/finding.ts'
import { readFree } from './file-system.ts'

/** Checks the folder, whether the service is running or not. Changes nothing. */
export async function* examineDisk({
  directory,
  reserve,
}: {
  directory: string
  reserve: number
}): AsyncIterable<Finding> {
  const check = 'storage'
  if (!existsSync(directory)) {
    const message = `${directory} does not exist yet; the service creates it when it starts`
    yield { check, status: 'pending', message }
    return
  }
  try {
    await access(directory, constants.R_OK | constants.W_OK | constants.X_OK)
  } catch {
    const message = `this user cannot read and write ${directory}`
    yield { check, status: 'error', message, remedy: `chown -R "$(id -u)" ${directory}` }
    return
  }
  const free = await readFree(directory)
  const message = `${directory} is writable, ${formatSize(free)} is free`
  if (free >= reserve) {
    yield { check, status: 'ok', message }
    return
  }
  const refused = `uploads are refused until ${formatSize(reserve)} is free (STOWAGE_DISK_RESERVE)`
  yield { check, status: 'note', message: `${message}; ${refused}` }
}
