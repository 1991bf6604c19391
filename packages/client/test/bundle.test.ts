import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'

const INDEX = fileURLToPath(new URL('../src/index.ts', import.meta.url))
/**
 * In bytes, gzipped. Every page loads this code before it can upload, so raise the limit only for a feature
 * that most pages need.
 */
const LIMIT = 13_000

/** Bundles code for browsers. Fails if it imports something that browsers lack. */
async function bundle(contents: string): Promise<{ code: string; inputs: string[] }> {
  const { outputFiles, metafile } = await build({
    stdin: { contents, resolveDir: fileURLToPath(new URL('.', import.meta.url)), loader: 'ts' },
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    write: false,
    metafile: true,
  })
  return { code: outputFiles[0]?.text ?? '', inputs: Object.keys(metafile.inputs) }
}

test('the bundled client is smaller than 13 kB and contains only code of this package', async (t) => {
  const { code, inputs } = await bundle(`export * from ${JSON.stringify(INDEX)}`)
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
