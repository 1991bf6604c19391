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
  const about = 'storage'
  if (!existsSync(directory)) {
    const says = `${directory} does not exist yet; the service creates it when it starts`
    yield { about, verdict: 'pending', says }
    return
  }
  try {
    await access(directory, constants.R_OK | constants.W_OK | constants.X_OK)
  } catch {
    const says = `this user can't read and write ${directory}`
    yield { about, verdict: 'wrong', says, remedy: `chown -R "$(id -u)" ${directory}` }
    return
  }
  const free = await readFree(directory)
  const says = `${directory} is writable, ${formatSize(free)} is free`
  if (free >= reserve) {
    yield { about, verdict: 'well', says }
    return
  }
  const refused = `uploads are refused until ${formatSize(reserve)} is free (STOWAGE_DISK_RESERVE)`
  yield { about, verdict: 'note', says: `${says}; ${refused}` }
}
