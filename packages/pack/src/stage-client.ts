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
  await writeTypesForRequire(dist)
  await writeManifest(staged, manifest, {
    sideEffects: manifest.sideEffects,
    exports: packedExports(manifest),
    ...olderTypes(manifest),
    dependencies: manifest.dependencies,
    peerDependencies: manifest.peerDependencies,
    peerDependenciesMeta: manifest.peerDependenciesMeta,
  })
  await stageDocs(staged, folder, ['client.md', 'client-api.md', 'browser.md', 'errors.md'])
}

/** `./src/node/index.ts` becomes `./dist/node/index`. */
function stemsOf({ exports }: Manifest): [name: string, stem: string][] {
  return Object.entries(exports).map(([name, source]) => [
    name,
    source.replace('./src/', './dist/').replace(/\.ts$/, ''),
  ])
}

/**
 * The code is ESM, which `require()` can load since Node 20.19. TypeScript takes declarations `.d.ts` of an ESM package as
 * proof that it cannot, unless `module` is `node20` or later. So `require` has its own.
 */
function packedExports(manifest: Manifest): Record<string, object> {
  return Object.fromEntries(
    stemsOf(manifest).map(([name, stem]) => [
      name,
      {
        require: { types: `${stem}.d.cts`, default: `${stem}.js` },
        types: `${stem}.d.ts`,
        default: `${stem}.js`,
      },
    ]),
  )
}

/** Until TypeScript 6, the default of `moduleResolution` ignored `exports`. */
function olderTypes(manifest: Manifest): object {
  const typesOf = new Map(stemsOf(manifest).map(([name, stem]) => [name, `${stem}.d.cts`]))
  const types = typesOf.get('.')
  typesOf.delete('.')
  const paths = [...typesOf].map(([name, file]) => [name.slice('./'.length), [file]])
  return { types, typesVersions: { '*': Object.fromEntries(paths) } }
}

/** Copies each `.d.ts` to a `.d.cts`, which imports others of its kind. */
async function writeTypesForRequire(dist: string): Promise<void> {
  for await (const name of glob('**/*.d.ts', { cwd: dist })) {
    const file = join(dist, name)
    const text = await readFile(file, 'utf8')
    const copy = text.replace(/(from |import\()'(\.[^']*)\.js'/g, "$1'$2.cjs'")
    await writeFile(file.replace(/ts$/, 'cts'), copy)
  }
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
