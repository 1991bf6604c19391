import { glob, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { bundle } from './bundle.ts'
import { folderOf, type Manifest, readManifest, writeManifest } from './manifest.ts'
import { relateSourceMaps } from './rewrite-source-maps.ts'
import { stagePapers } from './stage-docs.ts'

const NAME = 'stowage'

/** Lays out the command as it is packed: with the service and all else of the workspace inside. */
export async function stageCommand(staged: string): Promise<void> {
  const manifest = await readManifest(NAME)
  const dependencies = await dependenciesOf(manifest)
  const folder = join(staged, 'dist')
  const entry = join(folderOf(NAME), 'bin/stowage.js')
  await bundle({ entry, external: Object.keys(dependencies), folder })
  await relateSourceMaps(folder)
  await writeManifest(staged, manifest, {
    // In the repository npm brings Node 24 itself, and would warn about any other.
    engines: { node: '>=24' },
    bin: { stowage: './dist/stowage.js' },
    dependencies: await namedIn(folder, dependencies),
  })
  await stagePapers(staged, folderOf(NAME), [
    'production.md',
    'limits.md',
    'errors.md',
    'client.md',
  ])
}

/** Those of other people, its own and those of the packages that go inside. */
async function dependenciesOf({ dependencies = {} }: Manifest): Promise<Record<string, string>> {
  const found: Record<string, string> = {}
  for (const [name, version] of Object.entries(dependencies)) {
    const inside = name.startsWith('@stowage/') ? await readManifest(name) : undefined
    Object.assign(found, inside ? await dependenciesOf(inside) : { [name]: version })
  }
  return found
}

/** What gives only types is not needed once they are gone. */
async function namedIn(
  folder: string,
  dependencies: Record<string, string>,
): Promise<Record<string, string>> {
  const files = await Array.fromAsync(glob('*.js', { cwd: folder }))
  const codes = await Promise.all(files.map((file) => readFile(join(folder, file), 'utf8')))
  const isNamed = ([name]: [string, string]) => codes.some((code) => code.includes(`"${name}`))
  return Object.fromEntries(Object.entries(dependencies).filter(isNamed).toSorted())
}
