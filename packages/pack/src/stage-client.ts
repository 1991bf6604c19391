import { glob, readFile, writeFile } from 'node:fs/promises'
import { dirname, join, relative, sep } from 'node:path'
import {
  folderOf,
  type Manifest,
  ROOT,
  readManifest,
  rewriteSourceMaps,
  runTsc,
  stageDocs,
  writeManifest,
} from './staging.ts'
import { wireTypes } from './wire-types.ts'

const NAME = '@stowage/client'

/** Writes the files of the client package: a JavaScript and a type file for each source. */
export async function stageClient(staged: string): Promise<void> {
  const folder = folderOf(NAME)
  const manifest = await readManifest(NAME)
  const dist = join(staged, 'dist')
  await compile(folder, Object.values(manifest.exports), dist)
  await rewriteSourceMaps(dist)
  await inlineProtocolTypes(dist)
  await writeManifest(staged, manifest, {
    sideEffects: manifest.sideEffects,
    exports: packedExports(manifest),
    dependencies: manifest.dependencies,
    peerDependencies: manifest.peerDependencies,
    peerDependenciesMeta: manifest.peerDependenciesMeta,
  })
  await stageDocs(staged, folder, ['client.md', 'client-api.md', 'browser.md', 'errors.md'])
}

/** `./src/node/index.ts` becomes `./dist/node/index.js` with its types beside it. */
function packedExports({ exports }: Manifest): Record<string, object> {
  return Object.fromEntries(
    Object.entries(exports).map(([name, source]) => {
      const stem = source.replace('./src/', './dist/').replace(/\.ts$/, '')
      return [name, { types: `${stem}.d.ts`, default: `${stem}.js` }]
    }),
  )
}

async function compile(folder: string, entries: string[], outDir: string): Promise<void> {
  const config = join(dirname(outDir), 'tsconfig.json')
  const settings = {
    extends: join(ROOT, 'tsconfig.json'),
    compilerOptions: {
      noEmit: false,
      declaration: true,
      sourceMap: true,
      inlineSources: true,
      outDir,
      rootDir: join(folder, 'src'),
      typeRoots: [join(ROOT, 'node_modules/@types')],
    },
    include: [],
    files: entries.map((entry) => join(folder, entry)),
  }
  await writeFile(config, JSON.stringify(settings))
  await runTsc(['--project', config], ROOT)
}

/**
 * Makes type files import the types of the protocol from a file of the package. Also replaces the extension `.ts`,
 * which the compiler leaves in type files, with `.js`.
 */
async function inlineProtocolTypes(dist: string): Promise<void> {
  const names = new Set<string>()
  const wire = join(dist, 'wire')
  for await (const name of glob('**/*.d.ts', { cwd: dist })) {
    const file = join(dist, name)
    const text = await readFile(file, 'utf8')
    const imports = /\{([^}]*)\} from '@stowage\/protocol'/g
    for (const [, list = ''] of text.matchAll(imports)) {
      for (const [, name = ''] of list.matchAll(/(?:^|,)\s*(?:type )?(\w+)/g)) names.add(name)
    }
    const path = relative(dirname(file), wire).replaceAll(sep, '/')
    const rewritten = text
      .replaceAll("'@stowage/protocol'", `'${path.startsWith('.') ? path : `./${path}`}.js'`)
      .replace(/(from |import\()'(\.[^']*)\.ts'/g, "$1'$2.js'")
    await writeFile(file, rewritten)
  }
  await writeFile(`${wire}.d.ts`, wireTypes(names))
}
