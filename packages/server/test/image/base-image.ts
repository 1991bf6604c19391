import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { globSync } from 'node:fs'
import { appendFile, chown, cp, mkdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { ensureInstalled } from '@stowage/testing/machine/ensure-installed'
import { buildah, findImage } from './buildah.ts'

const run = promisify(execFile)
/** Like the image that stands behind the name on Docker Hub: it leaves out what only people read. */
const LEFT_OUT = ['man', 'doc', 'locale', 'info'].map(
  (name) => `--dpkgopt=path-exclude=/usr/share/${name}/*`,
)
const LABEL = 'stowage.made-of'

/**
 * Makes the image that the Dockerfile begins with available: the real one where Docker Hub can be
 * reached, otherwise one of Debian's packages with the Node that runs us. It is kept for the next time.
 */
export async function ensureBaseImage(name: string, folder: string): Promise<string> {
  const image = `docker.io/library/${name}`
  const [, major] = /^node:(\d+)-slim$/.exec(name) ?? []
  if (major !== process.versions.node.split('.')[0]) {
    throw new Error(`the Dockerfile begins with ${name}, and the tests run ${process.version}`)
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
  /** Of this machine, where npm is told of one. */
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

/** Debian's, as in `bookworm`. */
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
  // The machine's own sources, as these can be reached.
  const sources = globSync('/etc/apt/{sources.list,sources.list.d/*.{list,sources}}')
  // The folder is copied into an image right away: dpkg need not wait for the disk.
  const packages = ['--variant=essential', '--include=libstdc++6', '--dpkgopt=force-unsafe-io']
  const words = [...packages, ...LEFT_OUT, '--format=directory', await suite(), folder]
  await run('mmdebstrap', [...words, ...sources], { maxBuffer: 2 ** 26 })
  await addNode(folder)
  await addNpmSettings(folder, settings)
  await addUser(folder)
  const recipe = `${folder}.Dockerfile`
  await writeFile(recipe, 'FROM scratch\nCOPY . /\nCMD ["node"]\n')
  await buildah('bud', '--label', `${LABEL}=${madeOf}`, '--file', recipe, '--tag', image, folder)
  // The one that it replaces; if another run still uses that, a later one removes it.
  await buildah('rmi', '--prune').catch(() => {})
}

/** Node and npm as they run us. */
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
  // What npm has fetched for this machine already is not fetched again.
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

/** The user `node`, as in the real image. */
async function addUser(folder: string): Promise<void> {
  await appendFile(join(folder, 'etc/passwd'), 'node:x:1000:1000::/home/node:/bin/bash\n')
  await appendFile(join(folder, 'etc/group'), 'node:x:1000:\n')
  await mkdir(join(folder, 'home/node'))
  await chown(join(folder, 'home/node'), 1000, 1000)
}
