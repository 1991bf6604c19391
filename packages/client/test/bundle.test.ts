import assert from 'node:assert/strict'
import { resolve } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'

/** Nothing is written there. */
const OUTPUT = 'bundled-client'
const INDEX = fileURLToPath(new URL('../src/index.ts', import.meta.url))
/**
 * In bytes, gzipped. Every page loads this code before it can upload, so raise the limit only for a feature
 * that most pages need.
 */
const LIMIT = 13_600

/**
 * Bundles code for browsers. Fails if it imports something that browsers lack. With `splitting`, leaves out modules
 * that are loaded on demand.
 */
async function bundle(
  contents: string,
  { splitting = false } = {},
): Promise<{ code: string; inputs: string[] }> {
  const { outputFiles, metafile } = await build({
    stdin: { contents, resolveDir: fileURLToPath(new URL('.', import.meta.url)), loader: 'ts' },
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    write: false,
    metafile: true,
    splitting,
    outdir: OUTPUT,
  })
  const loaded = new Set<string>()
  const load = (name: string): void => {
    if (loaded.has(name)) return
    loaded.add(name)
    for (const { path, kind } of metafile.outputs[name]?.imports ?? []) {
      if (kind === 'import-statement') load(path)
    }
  }
  for (const [name, { entryPoint }] of Object.entries(metafile.outputs)) {
    if (entryPoint === '<stdin>') load(name)
  }
  const names = [...loaded].map((name) => resolve(name))
  const files = outputFiles.filter(({ path }) => names.includes(path))
  assert.equal(files.length, loaded.size)
  return { code: files.map(({ text }) => text).join(''), inputs: Object.keys(metafile.inputs) }
}

test('the bundled client is smaller than 13.6 kB and contains only code of this package', async (t) => {
  const { code, inputs } = await bundle(`export * from ${JSON.stringify(INDEX)}`, {
    splitting: true,
  })
  const size = gzipSync(code, { level: 9 }).length
  t.diagnostic(`${code.length} bytes, ${size} gzipped`)
  assert.ok(size < LIMIT, `${size} bytes`)
  assert.doesNotMatch(code, /node:/)
  for (const input of inputs) assert.match(input, /^packages\/client\/|<stdin>/)
})

test('a bundle that imports only isStowageError contains nothing else', async () => {
  const { code } = await bundle(`export { isStowageError } from ${JSON.stringify(INDEX)}`)
  assert.ok(code.length < 400, code)
})
