import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { aFolder } from '@stowage/testing/machine/clean-up'
import { missingForCurl, skipUnlessCi } from '@stowage/testing/machine/programs'
import { aService } from '@stowage/testing/service/service'

const run = promisify(execFile)
const ROOT = fileURLToPath(new URL('../../../', import.meta.url))
const SCREEN = 30

test('the client section of the README fits on a screen, and its code works', async (t) => {
  const readme = await readFile(join(ROOT, 'README.md'), 'utf8')
  const section = /^## From your code\n(.*?)^## /ms.exec(readme)?.[1] ?? ''
  assert.ok(section.trim().split('\n').length <= SCREEN)
  const code = /```js\n(.*?)```/s.exec(section)?.[1] ?? ''

  const { baseUrl } = await aService(t, { STOWAGE_CHUNK_SIZE: '100kB' })

  const folder = await aFolder(t)
  await mkdir(join(folder, 'node_modules'))
  await symlink(join(ROOT, 'node_modules/@stowage'), join(folder, 'node_modules/@stowage'))
  const program = join(folder, 'program.mjs')
  await writeFile(program, code.replace('http://127.0.0.1:4000', baseUrl))
  const { stdout } = await run(process.execPath, [program], {
    cwd: folder,
    env: { ...process.env, XDG_STATE_HOME: join(folder, 'state') },
  })
  const lines = stdout.trim().split('\n')
  assert.match(lines.at(-2) ?? '', /^1 /)
  assert.equal(lines.at(-1), 'pack.zip 250 kB')
  assert.ok((await readFile(join(folder, 'copy.zip'))).equals(Buffer.alloc(250_000)))
})

test('the curl examples of the README work one after the other in an empty folder', async (t) => {
  const missing = await missingForCurl()
  if (missing !== undefined) return skipUnlessCi(t, missing)
  const readme = await readFile(join(ROOT, 'README.md'), 'utf8')
  const examples = ['Upload a file in three steps', 'Link assets, products and deletion'].map(
    (title) => new RegExp(`^## ${title}\n.*?\`\`\`sh\n(.*?)\`\`\``, 'ms').exec(readme)?.[1] ?? '',
  )
  const { baseUrl } = await aService(t)
  const script = examples.join('\n').replace('http://127.0.0.1:4000', baseUrl)
  // The calls of an example never use -f, so that people see the error.
  const strict = script.replaceAll('curl -s', 'curl -sS --fail-with-body')
  const { stdout } = await run('sh', ['-euc', strict], { cwd: await aFolder(t) })
  assert.match(stdout, /"filename":"sample-pack.zip","size":"300 kB".*"status":"ready"/)
  assert.match(stdout, /"url":"https:\/\/example.com\/course.zip"/)
  assert.match(stdout, /"filename":"pack.zip".*"deleted":true/s)
})
