import { createHash } from 'node:crypto'
import { globSync } from 'node:fs'
import { chmod, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'

/*
 * Builds the web app into `dist` when that is missing or older than what it is made of:
 *
 *     npm run build
 *
 * With --required it fails when Vite is not installed.
 */
const HERE = import.meta.dirname
const DIST = join(HERE, 'dist')
const MADE_OF = [
  'dashboard/{src,public}/**/*.*',
  'dashboard/*.{ts,html,json}',
  '{client,protocol}/src/**/*.ts',
]
const STAMP = 'made-of.txt'
/** Smaller ones gain nothing. */
const WORTH_COMPRESSING = 1024

async function build(): Promise<void> {
  const stamp = await fingerprint()
  if (await isBuilt(stamp)) return
  if (!isInstalled('vite')) {
    // As after `npm ci --omit=dev`: the service still runs, and `/` explains what is missing.
    process.stderr.write(
      'stowage: the dashboard is not built, because Vite is not installed. Run npm ci to install it.\n',
    )
    if (process.argv.includes('--required')) process.exitCode = 1
    return
  }
  const vite = await import('vite')
  process.stderr.write('stowage: building the dashboard, which takes some seconds once\n')
  const { config } = await import('./vite.config.ts')
  // Whole or not at all, also when two build at once or one is stopped.
  const made = await mkdtemp(join(HERE, '.building-'))
  await vite.build({ ...config, build: { ...config.build, outDir: made } })
  await compress(made)
  await writeFile(join(made, STAMP), stamp)
  await chmod(made, 0o755)
  // Another may have been quicker, and somebody may use its result already: that one stays.
  if (await isBuilt(stamp)) return rm(made, { recursive: true })
  await rm(DIST, { recursive: true, force: true })
  await rename(made, DIST).catch(() => rm(made, { recursive: true }))
}

async function isBuilt(stamp: string): Promise<boolean> {
  return (await readFile(join(DIST, STAMP), 'utf8').catch(() => '')) === stamp
}

/** Looks for the package only: if it is there but cannot be loaded, the import reports why. */
function isInstalled(name: string): boolean {
  try {
    import.meta.resolve(name)
    return true
  } catch {
    return false
  }
}

/** Of everything that the result depends on. */
async function fingerprint(): Promise<string> {
  const packages = join(HERE, '..')
  const files = globSync(MADE_OF, { cwd: packages }).toSorted()
  const hash = createHash('sha256').update(await readFile(join(packages, '../package-lock.json')))
  for (const file of files) hash.update(file).update(await readFile(join(packages, file)))
  return hash.digest('hex')
}

/** Ahead of time, so that the service only picks. */
async function compress(folder: string): Promise<void> {
  const brotli = promisify(brotliCompress)
  const params = { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY }
  for (const file of globSync('app/*.{js,css}', { cwd: folder })) {
    const path = join(folder, file)
    const content = await readFile(path)
    if (content.length < WORTH_COMPRESSING) continue
    await writeFile(`${path}.br`, await brotli(content, { params }))
    await writeFile(`${path}.gz`, await promisify(gzip)(content, { level: 9 }))
  }
}

await build()
