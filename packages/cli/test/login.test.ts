import assert from 'node:assert/strict'
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { anHttpServer, freePort } from '@stowage/testing/machine/ports'
import { until } from '@stowage/testing/machine/until'
import { aFolder, aService } from '@stowage/testing/service/service'
import { spawnService } from '@stowage/testing/service/service-process'
import { aCli } from './support/cli.ts'

const KEY = 'k'.repeat(40)

async function aServiceWithKeys(t: TestContext) {
  const { baseUrl } = await aService(t, { STOWAGE_AUTH: 'keys', STOWAGE_ADMIN_KEY: KEY })
  return baseUrl
}

const modeOf = async (path: string) => ((await stat(path)).mode & 0o777).toString(8)

test('login saves the URL and the key where only the user can read them, and logout removes them', async (t) => {
  const baseUrl = await aServiceWithKeys(t)
  const { home, run, runWith } = await aCli(t)
  const { code, stdout, stderr } = await runWith({ input: `${KEY}\n` }, 'login', `${baseUrl}/`)
  assert.equal(code, 0, stderr)
  assert.equal(stdout, `${baseUrl}, account default, plan default\n`)
  assert.ok(!`${stdout}${stderr}`.includes(KEY))
  const folder = join(home, '.config/stowage')
  assert.deepEqual(await readdir(folder), ['login.json'])
  assert.equal(await modeOf(folder), '700')
  assert.equal(await modeOf(join(folder, 'login.json')), '600')
  assert.equal((await run('account')).code, 0)

  assert.equal((await run('logout')).code, 0)
  assert.deepEqual(await readdir(folder), [])
  assert.equal((await run('account', '--url', baseUrl)).code, 1)
})

test('an older login file that other users can read is replaced with a private one', async (t) => {
  const baseUrl = await aServiceWithKeys(t)
  const { home, run } = await aCli(t)
  const folder = join(home, '.config/stowage')
  await mkdir(folder, { recursive: true, mode: 0o755 })
  await writeFile(join(folder, 'login.json'), 'damaged', { mode: 0o644 })
  const damaged = await run('account')
  assert.equal(damaged.code, 1)
  assert.match(damaged.stderr, /login\.json is damaged\. Run stowage login/)
  assert.equal((await run('login', baseUrl, '--key', KEY)).code, 0)
  assert.deepEqual([await modeOf(folder), await modeOf(join(folder, 'login.json'))], ['700', '600'])
})

test('the login is saved in XDG_CONFIG_HOME', async (t) => {
  const baseUrl = await aServiceWithKeys(t)
  const { runWith } = await aCli(t)
  const env = { XDG_CONFIG_HOME: await aFolder(t) }
  assert.equal((await runWith({ env }, 'login', baseUrl, '--key', KEY)).code, 0)
  const saved = JSON.parse(await readFile(join(env.XDG_CONFIG_HOME, 'stowage/login.json'), 'utf8'))
  assert.deepEqual(saved, { url: baseUrl, key: KEY })
})

test('a wrong key is refused, and nothing is saved', async (t) => {
  const baseUrl = await aServiceWithKeys(t)
  const { home, run, runWith } = await aCli(t)
  const { code, stdout, stderr } = await runWith({ input: 'stow_wrong' }, 'login', baseUrl)
  assert.deepEqual([code, stdout], [1, ''])
  assert.match(stderr, /rejected the key/)
  assert.doesNotMatch(stderr, /stow_wrong|^ +at /m)
  assert.deepEqual(await readdir(home), [])

  const keyless = await run('ls', '--url', baseUrl)
  assert.equal(keyless.code, 1)
  assert.match(keyless.stderr, /requires a key\. Run stowage login/)
})

test('variables and options take precedence over the login', async (t) => {
  const baseUrl = await aServiceWithKeys(t)
  const other = await aService(t)
  const { run, runWith } = await aCli(t)
  assert.equal((await run('login', other.baseUrl, '--key', '')).code, 0)
  const env = { STOWAGE_URL: baseUrl, STOWAGE_API_KEY: KEY }
  assert.ok((await runWith({ env }, 'account')).stdout.includes(baseUrl))
  assert.ok((await run('account')).stdout.includes(other.baseUrl))
  assert.ok(
    (await runWith({ env }, 'account', '--url', other.baseUrl)).stdout.includes(other.baseUrl),
  )
})

test('an unreachable service is reported within seconds, with what to do', async (t) => {
  const { run, folder } = await aCli(t)
  const url = `http://127.0.0.1:${await freePort()}`
  await writeFile(join(folder, 'a.txt'), 'a')
  for (const words of [['ls'], ['upload', 'a.txt'], ['login', '--key', 'x']]) {
    const { code, stdout, stderr } = await run(...words, '--url', url)
    assert.deepEqual([code, stdout], [1, ''], words.join(' '))
    assert.match(stderr, /No response from http:\/\/127.*stowage serve.*ECONNREFUSED.*--url/)
    assert.doesNotMatch(stderr, /^ +at /m)
  }
})

test('a response that is not from Stowage is reported as such', async (t) => {
  const service = await aService(t)
  const { run } = await aCli(t)
  const { code, stderr } = await run('ls', '--url', `${service.baseUrl}/elsewhere`)
  assert.equal(code, 1)
  assert.doesNotMatch(stderr, /^ +at /m)

  const bodies = ['<html>Welcome!</html>', '{"status": "ok"}', 'null', '[]', '']
  const url = await anHttpServer(t, (_, response) => response.end(bodies[0]))
  for (; bodies.length > 0; bodies.shift()) {
    const other = await run('ls', '--url', url)
    assert.equal(other.code, 1)
    assert.match(other.stderr, /^stowage: http:\S+ Unexpected response.+Check the base URL\.$/m)
    assert.doesNotMatch(other.stderr, /^ +at /m)
  }
})

test('a service starts although the variables of the client commands are set', async (t) => {
  const child = spawnService({
    STOWAGE_DATA: await aFolder(t),
    STOWAGE_URL: 'https://files.example',
    STOWAGE_API_KEY: KEY,
  })
  t.after(() => child.kill('SIGKILL'))
  let stdout = ''
  child.stdout.on('data', (text) => {
    stdout += text
  })
  await until('the service is ready', () => stdout.includes('is ready'))
})
