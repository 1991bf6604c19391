import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { aFolder } from '@stowage/testing/machine/clean-up'
import { aServiceProcess } from '@stowage/testing/service/service-process'
import { someBytes } from '@stowage/testing/service/upload'

const run = promisify(execFile)
const ROOT = fileURLToPath(new URL('../../../', import.meta.url))
const SCREEN = 25

test('the client section of the README fits on a screen, and its code works', async (t) => {
  const readme = await readFile(join(ROOT, 'README.md'), 'utf8')
  const section = /^## From your code\n(.*?)^## /ms.exec(readme)?.[1] ?? ''
  assert.ok(section.trim().split('\n').length <= SCREEN)
  const code = /```js\n(.*?)```/s.exec(section)?.[1] ?? ''

  const { baseUrl } = await aServiceProcess(t, { STOWAGE_CHUNK_SIZE: '100kB' })

  const folder = await aFolder(t)
  const bytes = someBytes(250_000)
  await writeFile(join(folder, 'sample-pack.zip'), bytes)
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
  assert.equal(lines.at(-1), 'sample-pack.zip 250 kB')
  assert.ok((await readFile(join(folder, 'copy.zip'))).equals(bytes))
})
