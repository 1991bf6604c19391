import { execFile } from 'node:child_process'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)
const LOCK = join(tmpdir(), 'stowage-installs')

/**
 * Returns undefined if the command is installed, or the reason why not. If the command is missing and the process runs
 * as root on Debian, this function installs the packages.
 */
export async function ensureInstalled(wanted: {
  command: string
  packages: string[]
}): Promise<string | undefined> {
  const { command, packages } = wanted
  if (await isInstalled(command)) return undefined
  const names = packages.join(' ')
  if (process.getuid?.() !== 0) return `${command} is missing: install ${names}`
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  // Test files run concurrently, and a second apt-get would fail instead of waiting for the first.
  const aptGet = (...words: string[]) =>
    run('flock', ['--close', LOCK, 'apt-get', ...words], { env })
  try {
    await aptGet('update')
    await aptGet('install', '--yes', '--no-install-recommends', ...packages)
    return undefined
  } catch (error) {
    return `${command} is missing and ${names} could not be installed: ${error}`
  }
}

async function isInstalled(command: string): Promise<boolean> {
  try {
    await run('which', [command])
    return true
  } catch {
    return false
  }
}
