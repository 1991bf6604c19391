import { existsSync } from 'node:fs'
import { access, constants } from 'node:fs/promises'
import { formatSize } from '@stowage/protocol/format'
import type { Finding } from '../../domain/finding.ts'
import { readFree } from './file-system.ts'

/** Looks at the folder, while the service runs or not; changes nothing. */
export async function* examineDisk({
  directory,
  reserve,
}: {
  directory: string
  reserve: number
}): AsyncIterable<Finding> {
  const about = 'storage'
  if (!existsSync(directory)) {
    const says = `there is no ${directory} yet; the service makes it when it starts`
    yield { about, verdict: 'pending', says }
    return
  }
  try {
    await access(directory, constants.R_OK | constants.W_OK | constants.X_OK)
  } catch {
    const says = `${directory} can't be read and written by this user`
    yield { about, verdict: 'wrong', says, remedy: `chown -R "$(id -u)" ${directory}` }
    return
  }
  const free = await readFree(directory)
  const says = `${directory} can be written, ${formatSize(free)} are free`
  if (free >= reserve) {
    yield { about, verdict: 'well', says }
    return
  }
  const refused = `uploads are refused until ${formatSize(reserve)} are (STOWAGE_DISK_RESERVE)`
  yield { about, verdict: 'note', says: `${says}; ${refused}` }
}
