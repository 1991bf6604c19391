import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { globSync } from 'node:fs'
import { appendFile, chown, cp, mkdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { ensureInstalled } from '@stowage/testing/machine/ensure-installed'
import { buildah, findImage } from './buildah.ts'

const run = promisify(execFile)
/** Leaves out documentation, like the slim image on Docker Hub. */
const LEFT_OUT = ['man', 'doc', 'locale', 'info'].map(
  (name) => `--dpkgopt=path-exclude=/usr/share/${name}/*`,
)
const LABEL = 'stowage.made-of'

/**
 * Provides the base image of the Dockerfile: the real one if Docker Hub can be reached, otherwise one that
 * is made from Debian's packages and the Node version that runs the tests. It is kept for the next run.
 */
export async function ensureBaseImage(name: string, folder: string): Promise<string> {
  const image = `docker.io/library/${name}`
  const [, major] = /^node:(\d+)-slim$/.exec(name) ?? []
  if (major !== process.versions.node.split('.')[0]) {
    throw new Error(`The Dockerfile uses ${name}, but the tests run on ${process.version}`)
  }
  if (await canBePulled(image)) return 'from Docker Hub'
  const settings = await npmSettings()
  const madeOf = await fingerprint(settings)
  if ((await findImage(image))?.Labels?.[LABEL] === madeOf) return 'made by an earlier run'
  await makeBaseImage({ image, folder: join(folder, 'base'), settings, madeOf })
  return 'made of Debian packages'
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

async function fingerprint(settings: NpmSettings): Promise<string> {
  const facts = [process.version, process.arch, await suite(), JSON.stringify(settings)]
  return createHash('sha256')
    .update(facts.join('\n'))
    .update(await readFile(import.meta.filename))
    .digest('hex')
}

/** The name of the Debian release, such as `bookworm`. */
async function suite(): Promise<string> {
  const release = await readFile('/etc/os-release', 'utf8')
  return /^VERSION_CODENAME=(\w+)$/m.exec(release)?.[1] ?? 'stable'
}

interface Making {
  image: string
  folder: string
  settings: NpmSettings
  madeOf: string
}

async function makeBaseImage({ image, folder, settings, madeOf }: Making): Promise<void> {
  const missing = await ensureInstalled({ command: 'mmdebstrap', packages: ['mmdebstrap'] })
  if (missing !== undefined) throw new Error(missing)
  // Use the package sources of this machine, because it can reach them.
  const sources = globSync('/etc/apt/{sources.list,sources.list.d/*.{list,sources}}')
  // The folder is copied into an image immediately, so dpkg need not sync to the disk.
  const packages = ['--variant=essential', '--include=libstdc++6', '--dpkgopt=force-unsafe-io']
  const words = [...packages, ...LEFT_OUT, '--format=directory', await suite(), folder]
  await run('mmdebstrap', [...words, ...sources], { maxBuffer: 2 ** 26 })
  await addNode(folder)
  await addNpmSettings(folder, settings)
  await addUser(folder)
  const recipe = `${folder}.Dockerfile`
  await writeFile(recipe, 'FROM scratch\nCOPY . /\nCMD ["node"]\n')
  await buildah('bud', '--label', `${LABEL}=${madeOf}`, '--file', recipe, '--tag', image, folder)
  // Remove the image that this one replaces. If another run still uses it, a later run removes it.
  await buildah('rmi', '--prune').catch(() => {})
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
