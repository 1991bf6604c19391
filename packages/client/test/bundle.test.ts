import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'

const INDEX = fileURLToPath(new URL('../src/index.ts', import.meta.url))
/**
 * A page loads this before it can upload. It was 8,000 until the client had to refuse what it cannot
 * send, explain what it cannot reach and send streams, also of unknown length: each costs some code in
 * every page.
 */
const LIMIT = 11_250

/** As a page's bundler makes it; whatever is not for browsers fails it. */
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

test('the whole client is under 11.25 kB in a page, and of this package alone', async (t) => {
  const { code, inputs } = await bundle(`export * from ${JSON.stringify(INDEX)}`)
  const size = gzipSync(code, { level: 9 }).length
  t.diagnostic(`${code.length} bytes, ${size} gzipped`)
  assert.ok(size < LIMIT, `${size} bytes`)
  assert.doesNotMatch(code, /node:/)
  for (const input of inputs) assert.match(input, /^packages\/client\/|<stdin>/)
})

test('who takes only the guard gets only the guard', async () => {
  const { code } = await bundle(`export { isStowageError } from ${JSON.stringify(INDEX)}`)
  assert.ok(code.length < 400, code)
})
