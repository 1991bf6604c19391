import { cp, glob, mkdir, readFile, writeFile } from 'node:fs/promises'
import { basename, dirname, join, relative, sep } from 'node:path'
import { build, type Plugin } from 'esbuild'
import {
  folderOf,
  type Manifest,
  ROOT,
  readManifest,
  rewriteSourceMaps,
  stageDocs,
  writeManifest,
} from './staging.ts'

const NAME = 'stowage'

/** Writes the files of the CLI's package, which includes the workspace packages that it depends on. */
export async function stageCli(staged: string): Promise<void> {
  const manifest = await readManifest(NAME)
  const folder = join(staged, 'dist')
  await bundleCli(folder, { isForUsers: true })
  await rewriteSourceMaps(folder)
  await writeManifest(staged, manifest, {
    // In the repository, the manifest does not require Node 24, because npm installs it as a dependency.
    engines: { node: '>=24' },
    bin: { stowage: './dist/stowage.js' },
    dependencies: await usedIn(folder, await dependenciesOf(manifest)),
  })
  await stageDocs(staged, folderOf(NAME), [
    'production.md',
    'limits.md',
    'errors.md',
    'events.md',
    'client.md',
  ])
}

/** Returns the third-party dependencies of the package and of the workspace packages it includes. */
async function dependenciesOf({ dependencies = {} }: Manifest): Promise<Record<string, string>> {
  const found: Record<string, string> = {}
  for (const [name, version] of Object.entries(dependencies)) {
    const inside = name.startsWith('@stowage/') ? await readManifest(name) : undefined
    Object.assign(found, inside ? await dependenciesOf(inside) : { [name]: version })
  }
  return found
}

/** Drops dependencies that only provide types. */
async function usedIn(
  folder: string,
  dependencies: Record<string, string>,
): Promise<Record<string, string>> {
  const files = await Array.fromAsync(glob('*.js', { cwd: folder }))
  const codes = await Promise.all(files.map((file) => readFile(join(folder, file), 'utf8')))
  const isUsed = ([name]: [string, string]) => codes.some((code) => code.includes(`"${name}`))
  return Object.fromEntries(Object.entries(dependencies).filter(isUsed).toSorted())
}

interface BundleOptions {
  /**
   * For a package that users install: without third-party packages, so that users can update these, and with the files
   * that the code reads. Otherwise the bundle is for this checkout and refers to the original files.
   */
  isForUsers: boolean
}

/** Packages that only some services use. They are large, and loaded when they are used. */
const LOADED_ON_DEMAND = [
  '@aws-sdk/client-s3',
  'nodemailer',
  'pino-pretty',
  'postgres',
  'postgres-array',
]

/**
 * Bundles the CLI and everything it imports into one file. CommonJS, because Node loads it with less work than modules.
 * `stowage.js` only enables the compile cache, so that `main.js` is compiled once.
 */
export async function bundleCli(folder: string, { isForUsers }: BundleOptions): Promise<void> {
  const packages = Object.keys(await dependenciesOf(await readManifest(NAME)))
  const external = isForUsers ? packages : LOADED_ON_DEMAND
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, 'package.json'), '{ "type": "commonjs" }\n')
  const entries = new Set([join(folderOf(NAME), 'bin/stowage.js')])
  // Iterating over a set includes entries that are added meanwhile.
  for (const each of entries) {
    await build({
      entryPoints: [each],
      outdir: folder,
      bundle: true,
      format: 'cjs',
      platform: 'node',
      target: 'node24',
      external,
      sourcemap: true,
      logLevel: 'silent',
      define: { 'import.meta.url': 'moduleUrl', 'import.meta.dirname': '__dirname' },
      banner: { js: "const moduleUrl = require('node:url').pathToFileURL(__filename).href;" },
      plugins: [referencedFiles({ folder, isForUsers, onCode: (file) => entries.add(file) })],
    })
  }
}

interface ReferenceOptions extends BundleOptions {
  /** The folder that all code is bundled into. */
  folder: string
  /** Called with a source that is loaded by its URL, such as a worker thread, so that it is bundled, too. */
  onCode(source: string): void
}

/** Finds the files that a source references by `new URL('…', import.meta.url)`, and changes the URLs to their new places. */
function referencedFiles({ folder, isForUsers, onCode }: ReferenceOptions): Plugin {
  async function place(path: string): Promise<string> {
    if (path.endsWith('.ts')) {
      onCode(path)
      return `./${basename(path, '.ts')}.js`
    }
    if (!isForUsers) return relative(folder, path).replaceAll(sep, '/') + trailingSlash(path)
    const name = relative(join(ROOT, 'packages'), path).replaceAll(sep, '/')
    await cp(path, join(folder, name), { recursive: true })
    return `./${name}${trailingSlash(path)}`
  }

  return {
    name: 'referenced-files',
    setup({ onLoad }) {
      onLoad({ filter: /\.[jt]s$/ }, async ({ path }) => {
        let contents = await readFile(path, 'utf8')
        for (const [whole, name = ''] of contents.matchAll(REFERENCE)) {
          const placed = await place(join(dirname(path), name))
          contents = contents.replace(whole, `new URL('${placed}', import.meta.url)`)
        }
        return { contents, loader: path.endsWith('.ts') ? 'ts' : 'js' }
      })
    },
  }
}

/** With a trailing slash, URLs are resolved inside the folder. */
function trailingSlash(path: string): string {
  return path.endsWith(sep) ? '/' : ''
}

const REFERENCE = /new URL\('([^']+)', import\.meta\.url\)/g
