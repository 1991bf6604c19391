import { existsSync } from 'node:fs'
import { access, constants, statfs } from 'node:fs/promises'
import type { Finding } from '../../domain/finding.ts'
import { sizeText } from '../../domain/size-text.ts'

const LITTLE = 1_000_000_000

/** Looks at the folder, while the service runs or not; changes nothing. */
export async function* examineDisk({ directory }: { directory: string }): AsyncIterable<Finding> {
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
  const { bavail, bsize } = await statfs(directory)
  const free = bavail * bsize
  const says = `${directory} can be written, ${sizeText(free)} are free`
  yield { about, verdict: free < LITTLE ? 'note' : 'well', says }
}
