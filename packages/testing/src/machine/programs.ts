import { execFile } from 'node:child_process'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** The programs that `npm test` runs, and the Debian packages of each. */
const PACKAGES_OF_TESTS = {
  '7z': ['p7zip-full'],
  chromium: ['chromium'],
  'chromium-headless-shell': ['chromium-headless-shell'],
  curl: ['curl'],
  jq: ['jq'],
  nginx: ['nginx-light'],
  openssl: ['openssl'],
  php: ['php-cli'],
  python3: ['python3-minimal'],
  radosgw: ['radosgw', 'ceph-mon', 'ceph-osd'],
  script: ['bsdutils'],
  unzip: ['unzip'],
}

/** The programs that `npm run test:proofs` also runs. */
const PACKAGES_OF_PROOFS = {
  buildah: ['buildah'],
  crun: ['crun'],
  ip: ['iproute2'],
  prometheus: ['prometheus'],
  strace: ['strace'],
  wget: ['wget'],
}

/** Only the nightly run and the benchmarks run these. */
const OTHER_PACKAGES = {
  'swift-proxy-server': [
    'swift-proxy',
    'swift-account',
    'swift-container',
    'swift-object',
    'memcached',
  ],
}

const PACKAGES = {
  tests: PACKAGES_OF_TESTS,
  proofs: { ...PACKAGES_OF_TESTS, ...PACKAGES_OF_PROOFS },
  all: { ...PACKAGES_OF_TESTS, ...PACKAGES_OF_PROOFS, ...OTHER_PACKAGES },
}

export type Program = keyof typeof PACKAGES.all

/** Held while packages are installed: test files run concurrently, and a second apt-get would fail instead of waiting. */
export const INSTALL_LOCK = join(tmpdir(), 'stowage-installs')

const isRoot = process.getuid?.() === 0

/**
 * Returns undefined if the program is installed, or the reason why not. If the program is missing and the process runs
 * as root on Debian, this function installs it.
 */
export async function ensureInstalled(
  program: Program,
  packages: readonly string[] = PACKAGES.all[program],
): Promise<string | undefined> {
  if (await areConfigured(packages)) return undefined
  // While another process installs it, the program may exist before the packages that it needs.
  if (isRoot && process.platform === 'linux') await run('flock', ['--shared', INSTALL_LOCK, 'true'])
  if (await isInstalled(program)) return undefined
  if (!isRoot) return `${program} is missing: install ${packages.join(' ')}`
  try {
    await install(packages)
    return undefined
  } catch (error) {
    return `${program} is missing and ${packages.join(' ')} could not be installed: ${error}`
  }
}

/**
 * Installs the programs that `npm test` or the proofs need and that are missing, in one step. A stage may run without a
 * network, and no test should have to wait for a download. Does nothing unless the process runs as root on Debian.
 */
export async function installPrograms(set: 'tests' | 'proofs'): Promise<void> {
  if (!isRoot || !(await isInstalled('apt-get'))) return
  const missing = []
  for (const [program, packages] of Object.entries<string[]>(PACKAGES[set])) {
    if (!(await isInstalled(program))) missing.push(...packages)
  }
  if (missing.length === 0) return
  console.log(`Installing the Debian packages that the tests need: ${missing.join(' ')}`)
  await install(missing)
}

async function install(packages: readonly string[]): Promise<void> {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  // One lock for both steps, so that no test that waits for a program sees the time between them.
  const script = 'apt-get update && apt-get install --yes --no-install-recommends "$@"'
  await run('flock', ['--close', INSTALL_LOCK, 'sh', '-c', script, 'sh', ...packages], {
    env,
    maxBuffer: 50_000_000,
  })
}

// biome-ignore lint/suspicious/noTemplateCurlyInString: dpkg-query fills it in
const STATUS = '${Status}\n'

/** Does not wait for the installation of other packages, which may take minutes. */
async function areConfigured(packages: readonly string[]): Promise<boolean> {
  if (!isRoot || process.platform !== 'linux') return false
  try {
    const { stdout } = await run('dpkg-query', ['-W', '-f', STATUS, ...packages])
    const states = stdout.trim().split('\n')
    return states.every((state) => state === 'install ok installed')
  } catch {
    return false
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

/** Skips a test that this machine cannot run, and prints the reason. With CI=true it fails instead. */
export function skipUnlessCi(t: TestContext, reason: string): void {
  if (process.env.CI === 'true') throw new Error(reason)
  t.skip(reason)
}

/** Ignores the user's curl settings and any proxy. */
const PLAIN = ['--disable', '--noproxy', '*', '--silent', '--show-error']

export function missingForCurl(): Promise<string | undefined> {
  return ensureInstalled('curl')
}

/** PUTs a file without a Content-Type and returns the ETag without its quotes. */
export async function curlPart(url: string, file: string): Promise<string> {
  const options = ['--upload-file', file, '-H', 'Content-Type:', '--dump-header', '-']
  const { stdout } = await run('curl', [...PLAIN, ...options, '--output', '/dev/null', url])
  // For a long body, curl waits for "100 Continue", which then precedes the response.
  const response = stdout.trim().split('\r\n\r\n').at(-1) ?? ''
  const etag = /^etag: "(.+)"\r?$/im.exec(response)?.[1]
  if (!/^HTTP\/1\.1 200 /.test(response) || etag === undefined) {
    throw new Error(`The part was refused: ${stdout}`)
  }
  return etag
}

interface CurlResponse {
  status: number
  // biome-ignore lint/suspicious/noExplicitAny: tests read responses of every shape
  body: any
}

export async function curlJson(method: string, url: string, body: unknown): Promise<CurlResponse> {
  const options = ['-X', method, '-H', 'Content-Type: application/json', '-w', '\n%{http_code}']
  const { stdout } = await run('curl', [...PLAIN, ...options, '-d', JSON.stringify(body), url])
  const end = stdout.lastIndexOf('\n')
  return { status: Number(stdout.slice(end)), body: JSON.parse(stdout.slice(0, end)) }
}

/** Follows redirects, writes the body to the file and returns the last status. */
export async function curlDownload(
  url: string,
  file: string,
  options: string[] = [],
): Promise<number> {
  const output = ['--location', '--output', file, '-w', '%{http_code}']
  const { stdout } = await run('curl', [...PLAIN, ...output, ...options, url])
  return Number(stdout)
}
