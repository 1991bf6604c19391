import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { ensureBaseImage } from './base-image.ts'
import { buildah, buildahArguments, findImage, type ImageConfig } from './buildah.ts'

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
