import { execFile, spawn } from 'node:child_process'
import { createHash, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, lstatSync, realpathSync } from 'node:fs'
import { appendFile, chown, cp, mkdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { homedir, tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { promisify } from 'node:util'

export const ROOT = join(import.meta.dirname, '../../../..')

/** A built image. */
export interface BuiltImage {
  config: ImageConfig
  /** The folder with its files. All containers share it, because none of them may change it. */
  files: string
}

/** Builds the Dockerfile. Returns the path of the file that describes the image. */
export async function buildImage(folder: string) {
  const text = await readFile(join(ROOT, 'Dockerfile'), 'utf8')
  const [base = '', ...others] = new Set(
    [...text.matchAll(/^FROM (\S+)/gm)].map(([, name]) => name),
  )
  if (others.length > 0) throw new Error('The stages of the Dockerfile use different base images')
  const begin = performance.now()
  console.log(`base image ${base}: ${await ensureBaseImage(base, folder)}, ${secondsSince(begin)}`)
  const name = `localhost/stowage-test-${randomUUID()}`
  await build(name)
  const config = await findImage(name)
  if (config === undefined) throw new Error('buildah built nothing')
  const container = await buildah('from', '--pull-never', name)
  const image: BuiltImage = { config, files: await buildah('mount', container) }
  const path = join(folder, 'image.json')
  await writeFile(path, JSON.stringify(image))
  console.log(`image: built and mounted, ${secondsSince(begin)}`)
  return {
    path,
    async remove() {
      await buildah('rm', container)
      await buildah('rmi', name)
    },
  }
}

/** Builds without a Docker engine: the steps run without their own network or container runtime. */
async function build(name: string): Promise<void> {
  const cache = join(process.env.npm_config_cache ?? join(homedir(), '.npm'), '_cacache')
  // Only Docker's format supports health checks.
  const options = ['--isolation', 'chroot', '--network', 'host', '--format', 'docker']
  const volume = existsSync(cache) ? ['--volume', `${cache}:/root/.npm/_cacache`] : []
  const words = ['bud', '--pull-never', ...options, ...volume, '--tag', name, ROOT]
  const child = spawn('buildah', buildahArguments(...words), { stdio: 'inherit' })
  const [code] = await once(child, 'exit')
  if (code !== 0) throw new Error(`buildah bud failed with code ${code}`)
}

function secondsSince(begin: number): string {
  return `${((performance.now() - begin) / 1000).toFixed(0)} s`
}

const run = promisify(execFile)
/** With their dependencies, these packages are all that Node, npm and the steps of the Dockerfile need. */
const PACKAGES = ['base-files', 'base-passwd', 'bash', 'coreutils', 'dash', 'libstdc++6']
/** Documentation and translations, which the slim image on Docker Hub leaves out, too. */
const LEFT_OUT = /^\/usr\/share\/(man|doc|locale|info)\//
const LABEL = 'stowage.made-of'

/**
 * Provides the base image of the Dockerfile: the real one if Docker Hub can be reached, otherwise one that
 * is made from packages of this Debian machine and the Node version that runs the tests. It is kept for the
 * next run.
 */
async function ensureBaseImage(name: string, folder: string): Promise<string> {
  const image = `docker.io/library/${name}`
  const [, major] = /^node:(\d+)-slim$/.exec(name) ?? []
  if (major !== process.versions.node.split('.')[0]) {
    throw new Error(`The Dockerfile uses ${name}, but the tests run on ${process.version}`)
  }
  if (await canBePulled(image)) return 'from Docker Hub'
  const settings = await npmSettings()
  const packages = await installedPackages()
  const madeOf = await fingerprint(settings, packages)
  if ((await findImage(image))?.Labels?.[LABEL] === madeOf) return 'made by an earlier run'
  await makeBaseImage({ image, folder: join(folder, 'base'), settings, packages, madeOf })
  return 'made of the Debian packages of this machine'
}

async function canBePulled(image: string): Promise<boolean> {
  return buildah('pull', '--quiet', '--policy', 'always', image).then(
    () => true,
    () => false,
  )
}

interface NpmSettings {
  registry: string
  /** The file with additional certificates that npm uses on this machine, if any. */
  certificates?: string
}

async function npmSettings(): Promise<NpmSettings> {
  const get = async (name: string) => (await run('npm', ['config', 'get', name])).stdout.trim()
  const certificates = await get('cafile')
  const registry = await get('registry')
  return { registry, ...(certificates !== 'null' && { certificates }) }
}

/** The version of each package in the base image, by name. */
type Packages = Map<string, string>

async function installedPackages(): Promise<Packages> {
  const fields = ['Package', 'Version', 'Pre-Depends', 'Depends'].map((name) => `\${${name}}`)
  const format = `${fields.join('\\t')}\\n`
  const { stdout } = await run('dpkg-query', ['--show', '--showformat', format], {
    maxBuffer: 2 ** 26,
  })
  const lines = stdout.split('\n').map((line) => line.split('\t'))
  const installed = new Map(lines.map(([name = '', ...facts]) => [name, facts]))
  const found: Packages = new Map()
  const waiting = [...PACKAGES]
  for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) {
    const [version = '', ...dependencies] = installed.get(name) ?? []
    if (version === '' || found.has(name)) continue
    found.set(name, version)
    // The dependencies are a text such as `libc6 (>= 2.34), mawk | awk`.
    waiting.push(
      ...dependencies
        .join()
        .split(/[,|]/)
        .map((text) => text.trim().replace(/[ :(].*/, '')),
    )
  }
  const missing = PACKAGES.filter((name) => !found.has(name))
  if (missing.length > 0) throw new Error(`Debian packages are missing: ${missing.join(', ')}`)
  return found
}

async function fingerprint(settings: NpmSettings, packages: Packages): Promise<string> {
  const facts = [process.version, process.arch, JSON.stringify([settings, ...packages])]
  return createHash('sha256')
    .update(facts.join('\n'))
    .update(await readFile(import.meta.filename))
    .digest('hex')
}

interface Making {
  image: string
  folder: string
  settings: NpmSettings
  packages: Packages
  madeOf: string
}

async function makeBaseImage(making: Making): Promise<void> {
  const { image, folder, settings, packages, madeOf } = making
  await addPackages(folder, packages)
  await addNode(folder)
  await addNpmSettings(folder, settings)
  await addUser(folder)
  const recipe = `${folder}.Dockerfile`
  await writeFile(recipe, 'FROM scratch\nCOPY . /\nCMD ["node"]\n')
  await buildah('bud', '--label', `${LABEL}=${madeOf}`, '--file', recipe, '--tag', image, folder)
  // Remove the image that this one replaces. If another run still uses it, a later run removes it.
  await buildah('rmi', '--prune').catch(() => {})
}

/** Copies the files of the packages, which needs no network. */
async function addPackages(folder: string, packages: Packages): Promise<void> {
  const { stdout } = await run('dpkg-query', ['--listfiles', ...packages.keys()])
  const paths = stdout.split('\n').filter((path) => /^\/\w/.test(path) && !LEFT_OUT.test(path))
  // A slim machine lacks some files of its packages.
  const present = paths.filter((path) => lstatSync(path, { throwIfNoEntry: false }) !== undefined)
  const list = `${folder}.files`
  await writeFile(list, [...new Set(present.map(withoutLinks))].join('\n'))
  await mkdir(folder)
  const copy = 'tar --create --directory=/ --no-recursion --files-from="$1"'
  await run('sh', ['-ec', `${copy} | tar --extract --directory="$2"`, 'sh', list, folder])
  for (const name of ['passwd', 'group']) {
    const original = join(folder, 'usr/share/base-passwd', `${name}.master`)
    await cp(original, join(folder, 'etc', name))
  }
}

/** The path below `/`, such as `usr/bin/sh` for `/bin/sh`, because `/bin` is a link. */
function withoutLinks(path: string): string {
  return join(realpathSync(dirname(path)), basename(path)).slice(1)
}

/** Adds the Node and npm that run the tests. */
async function addNode(folder: string): Promise<void> {
  const local = join(folder, 'usr/local')
  await cp(process.execPath, join(local, 'bin/node'))
  const { stdout } = await run('npm', ['root', '--global'])
  const npm = join(stdout.trim(), 'npm')
  await mkdir(join(local, 'lib/node_modules'), { recursive: true })
  await cp(npm, join(local, 'lib/node_modules/npm'), { recursive: true })
  for (const name of ['npm', 'npx']) {
    await symlink(`../lib/node_modules/npm/bin/${name}-cli.js`, join(local, 'bin', name))
  }
}

async function addNpmSettings(folder: string, settings: NpmSettings): Promise<void> {
  const { registry, certificates } = settings
  // With prefer-offline, npm does not download packages again that are in its cache.
  const lines = [`registry=${registry}`, 'prefer-offline=true']
  if (certificates !== undefined) {
    const copy = '/usr/local/share/ca-certificates.crt'
    await cp(certificates, join(folder, copy))
    lines.push(`cafile=${copy}`)
  }
  const file = join(folder, 'usr/local/etc/npmrc')
  await mkdir(dirname(file), { recursive: true })
  await writeFile(file, `${lines.join('\n')}\n`)
}

/** Adds the user `node`, as in the real image. */
async function addUser(folder: string): Promise<void> {
  await appendFile(join(folder, 'etc/passwd'), 'node:x:1000:1000::/home/node:/bin/bash\n')
  await appendFile(join(folder, 'etc/group'), 'node:x:1000:\n')
  await mkdir(join(folder, 'home/node'))
  await chown(join(folder, 'home/node'), 1000, 1000)
}

/** A separate image store, so that the base image made here does not replace the user's. */
const STORE = join(tmpdir(), 'stowage-images')

function buildahArguments(...words: string[]): string[] {
  return ['--root', join(STORE, 'root'), '--runroot', join(STORE, 'run'), ...words]
}

/** Runs buildah and returns its standard output. */
async function buildah(...words: string[]): Promise<string> {
  const { stdout } = await promisify(execFile)('buildah', buildahArguments(...words), {
    maxBuffer: 2 ** 26,
  })
  return stdout.trim()
}

/** The runtime configuration of an image. */
interface ImageConfig {
  Env: string[]
  Entrypoint: string[]
  Cmd: string[]
  WorkingDir: string
  User: string
  ExposedPorts?: Record<string, object>
  Volumes?: Record<string, object>
  Labels?: Record<string, string>
  Healthcheck?: { Test: string[] }
}

/** Returns undefined if the image does not exist. */
async function findImage(name: string): Promise<ImageConfig | undefined> {
  const response = await buildah('inspect', '--type', 'image', name).catch(() => undefined)
  return response === undefined ? undefined : JSON.parse(response).Docker.config
}
