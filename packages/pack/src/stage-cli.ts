import { cp, glob, readFile } from 'node:fs/promises'
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
  const dependencies = await dependenciesOf(manifest)
  const folder = join(staged, 'dist')
  const entry = join(folderOf(NAME), 'bin/stowage.js')
  await bundle({ entry, external: Object.keys(dependencies), folder })
  await rewriteSourceMaps(folder)
  await writeManifest(staged, manifest, {
    // In the repository, the manifest does not require Node 24, because npm installs it as a dependency.
    engines: { node: '>=24' },
    bin: { stowage: './dist/stowage.js' },
    dependencies: await usedIn(folder, dependencies),
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
  entry: string
  /** Packages that are not bundled. */
  external: string[]
  folder: string
}

/**
 * Bundles the entry and everything it imports as JavaScript. Dynamic imports stay separate files, which are
 * loaded only when they are used.
 */
async function bundle({ entry, external, folder }: BundleOptions): Promise<void> {
  const entries = new Set([entry])
  // Iterating over a set includes entries that are added meanwhile.
  for (const each of entries) {
    await build({
      entryPoints: [each],
      outdir: folder,
      bundle: true,
      splitting: true,
      format: 'esm',
      platform: 'node',
      target: 'node24',
      external,
      sourcemap: true,
      logLevel: 'silent',
      plugins: [copyReferencedFiles({ folder, onWorker: (file) => entries.add(file) })],
    })
  }
}

interface CopyOptions {
  /** The folder that all code is bundled into. */
  folder: string
  /** Called with a source that is started as a worker thread, so that it is bundled, too. */
  onWorker(source: string): void
}

/**
 * Finds the files that a source references by `new URL('…', import.meta.url)`. Copies files and folders into
 * the bundle, and reports worker threads.
 */
function copyReferencedFiles({ folder, onWorker }: CopyOptions): Plugin {
  async function copy(path: string): Promise<string> {
    if (path.endsWith('.ts')) {
      onWorker(path)
      return `./${basename(path, '.ts')}.js`
    }
    const name = relative(join(ROOT, 'packages'), path).replaceAll(sep, '/')
    await cp(path, join(folder, name), { recursive: true })
    // With a trailing slash, URLs are resolved inside the folder.
    return path.endsWith(sep) ? `./${name}/` : `./${name}`
  }

  return {
    name: 'copy-referenced-files',
    setup({ onLoad }) {
      onLoad({ filter: /\.[jt]s$/ }, async ({ path }) => {
        let contents = await readFile(path, 'utf8')
        for (const [whole, name = ''] of contents.matchAll(REFERENCE)) {
          const copied = await copy(join(dirname(path), name))
          contents = contents.replace(whole, `new URL('${copied}', import.meta.url)`)
        }
        return { contents, loader: path.endsWith('.ts') ? 'ts' : 'js' }
      })
    },
  }
}

const REFERENCE = /new URL\('([^']+)', import\.meta\.url\)/g
