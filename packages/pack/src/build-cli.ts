import { mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { folderOf } from './staging.ts'

/*
 * Bundles the CLI of this checkout into packages/cli/dist, which `npm start` runs:
 *
 *     npm run build
 *
 * It bundles at every start, so that the bundle is never older than its sources.
 */
const CLI = folderOf('stowage')
const DIST = join(CLI, 'dist')

async function build(): Promise<void> {
  await mkdir(DIST, { recursive: true })
  const folder = await mkdtemp(join(CLI, '.building-'))
  try {
    await bundle(folder)
    // Renamed one by one, and only if they have changed: another service may be starting from these files.
    for (const name of await readdir(folder)) {
      if (await hasChanged(join(folder, name), join(DIST, name))) {
        await rename(join(folder, name), join(DIST, name))
      }
    }
  } finally {
    await rm(folder, { recursive: true })
  }
}

async function bundle(folder: string): Promise<void> {
  try {
    const { bundleCli } = await import('./stage-cli.ts')
    await bundleCli(folder, { isForUsers: false })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error
    // After `npm ci --omit=dev`, esbuild is missing. Then the service runs from its sources.
    await writeFile(join(folder, 'stowage.js'), "import('../bin/stowage.js')\n")
  }
}

async function hasChanged(built: string, current: string): Promise<boolean> {
  const before = await readFile(current).catch(() => undefined)
  return before === undefined || !before.equals(await readFile(built))
}

await build()
