import { glob, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { bundle } from './bundle.ts'
import { folderOf, type Manifest, readManifest, writeManifest } from './manifest.ts'
import { rewriteSourceMaps } from './rewrite-source-maps.ts'
import { stageDocs } from './stage-docs.ts'

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
