import { createHash } from 'node:crypto'
import { globSync } from 'node:fs'
import { appendFile, chmod, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'

/*
 * Builds the web app into `dist`, unless `dist` was built from the same sources:
 *
 *     npm run build
 *
 * With --required it fails if Vite is not installed.
 */
const HERE = import.meta.dirname
const DIST = join(HERE, 'dist')
const SOURCES = [
  'dashboard/{src,public}/**/*.*',
  'dashboard/*.{ts,html,json}',
  '{client,protocol}/src/**/*.ts',
]
const FINGERPRINT_FILE = 'source-hash.txt'
/** Compressing smaller files saves nothing. */
const MIN_COMPRESSED_BYTES = 1024

async function build(): Promise<void> {
  const fingerprint = await readFingerprint()
  if (await isBuilt(fingerprint)) return
  if (!isInstalled('vite')) {
    // After `npm ci --omit=dev`, for example. The service still runs, and `/` explains what is missing.
    process.stderr.write(
      'stowage: the dashboard is not built, because Vite is not installed. Run npm ci to install it.\n',
    )
    if (process.argv.includes('--required')) process.exitCode = 1
    return
  }
  const vite = await import('vite')
  process.stderr.write('stowage: building the dashboard, which takes a few seconds\n')
  const { config } = await import('./vite.config.ts')
  // Built in a temporary folder and renamed, so that `dist` is complete even if two builds run at once.
  const folder = await mkdtemp(join(HERE, '.building-'))
  await vite.build({ ...config, build: { ...config.build, outDir: folder } })
  await addLicense(folder)
  await compress(folder)
  await writeFile(join(folder, FINGERPRINT_FILE), fingerprint)
  await chmod(folder, 0o755)
  // Keep the result of another build that was faster: it may be in use already.
  if (await isBuilt(fingerprint)) return rm(folder, { recursive: true })
  await rm(DIST, { recursive: true, force: true })
  await rename(folder, DIST).catch(() => rm(folder, { recursive: true }))
}

async function isBuilt(fingerprint: string): Promise<boolean> {
  return (await readFile(join(DIST, FINGERPRINT_FILE), 'utf8').catch(() => '')) === fingerprint
}

/** Only checks that the package exists. If it cannot be loaded, the import reports the reason. */
function isInstalled(name: string): boolean {
  try {
    import.meta.resolve(name)
    return true
  } catch {
    return false
  }
}

/** A hash of everything that the result depends on. */
async function readFingerprint(): Promise<string> {
  const packages = join(HERE, '..')
  const files = globSync(SOURCES, { cwd: packages }).toSorted()
  const hash = createHash('sha256').update(await readFile(join(packages, '../package-lock.json')))
  for (const file of files) hash.update(file).update(await readFile(join(packages, file)))
  return hash.digest('hex')
}

/** Adds the license of the icons. Vite only lists the licenses of packages. */
async function addLicense(folder: string): Promise<void> {
  const license = await readFile(join(HERE, 'src/icons/LICENSE.txt'), 'utf8')
  await appendFile(join(folder, 'licenses.md'), `\n## Tabler Icons (MIT)\n\n${license}`)
}

/** Compresses in advance, so that the service only selects a file. */
async function compress(folder: string): Promise<void> {
  const brotli = promisify(brotliCompress)
  const params = { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY }
  for (const file of globSync('app/*.{js,css}', { cwd: folder })) {
    const path = join(folder, file)
    const content = await readFile(path)
    if (content.length < MIN_COMPRESSED_BYTES) continue
    await writeFile(`${path}.br`, await brotli(content, { params }))
    await writeFile(`${path}.gz`, await promisify(gzip)(content, { level: 9 }))
  }
}

await build()
