import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { stripVTControlCharacters } from 'node:util'
import { ensureInstalled, skipUnlessCi } from '@stowage/testing/machine/programs'
import { until } from '@stowage/testing/machine/until'
import { aStorageProxy } from '@stowage/testing/proxies/storage-proxy'
import { aService } from '@stowage/testing/service/service'
import { API, someBytes } from '@stowage/testing/service/upload'
import { widthOf } from '../src/terminal/width.ts'
import { aCli } from './support/cli.ts'
import { aRogueService, aStockedShop, ODD_NAMES, ROGUE_ID } from './support/shop.ts'

/* Runs in its own process: it takes long, so it runs beside the others. */

const missingForTerminal =
  process.platform === 'linux'
    ? await ensureInstalled('script')
    : 'the script command of util-linux is missing'

function terminalTest(name: string, run: (t: TestContext) => Promise<void>): void {
  test(name, (t) =>
    missingForTerminal === undefined ? run(t) : skipUnlessCi(t, missingForTerminal),
  )
}

for (const columns of [40, 80, 200]) {
  terminalTest(`a table fits a terminal of ${columns} columns, whatever the names`, async (t) => {
    const { cli } = await aStockedShop(t)
    const { stdout } = await cli.startOnTerminal({ columns }, 'ls').end()
    const lines = stdout.replaceAll('\r', '').trimEnd().split('\n')
    assert.equal(lines.length, 1 + ODD_NAMES.length)
    for (const line of lines) assert.ok(widthOf(line) <= columns, `${widthOf(line)}: ${line}`)
    // biome-ignore lint/suspicious/noControlCharactersInRegex: none of them may occur
    assert.doesNotMatch(lines.join(''), /[\u0000-\u001f\u007f-\u009f\u202a-\u202e]/)
    assert.match(stdout, /\.png/)
    assert.equal(/01[0-9a-f]{6}-/.test(stdout), columns >= 80)
    assert.equal(stdout.includes('PACK'), columns >= 200)
  })
}

terminalTest('escape sequences from a service are shown, not interpreted', async (t) => {
  const cli = await aCli(t, await aRogueService(t))
  for (const words of [
    ['ls'],
    ['show', ROGUE_ID],
    ['products', 'ls'],
    ['account'],
    ['rm', ROGUE_ID, '--yes'],
    ['cancel', ROGUE_ID, '--yes'],
    ['attach', ROGUE_ID, '--to', `id:${ROGUE_ID}`],
    ['rename', ROGUE_ID, 'other'],
    ['show', 'x'],
    ['orders', 'ls'],
    ['orders', 'show', ROGUE_ID],
    ['orders', 'hold', ROGUE_ID],
    ['orders', 'attach', ROGUE_ID, ROGUE_ID],
    ['orders', 'downloads', ROGUE_ID],
    ['orders', 'downloads', '--asset', ROGUE_ID],
  ]) {
    const { stdout } = await cli.startOnTerminal({ columns: 200 }, ...words).end()
    assert.match(stdout, /␛\]0;owned␇/, words.join(' '))
    // biome-ignore lint/suspicious/noControlCharactersInRegex: none of them may occur
    assert.doesNotMatch(stdout, /[\u0000-\u0009\u000b\u000c\u000e-\u001f\u007f-\u009f]/)
  }
})

terminalTest(
  'control characters in JSON are escaped, and its meaning stays the same',
  async (t) => {
    const cli = await aCli(t, await aRogueService(t))
    for (const words of [['ls'], ['show', ROGUE_ID], ['account']]) {
      const { stdout } = await cli.run(...words, '--json')
      // biome-ignore lint/suspicious/noControlCharactersInRegex: none of them may occur
      assert.doesNotMatch(stdout, /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e]/)
      assert.match(JSON.stringify(JSON.parse(stdout)), /\u009b2J/)
    }
  },
)

terminalTest('bars show each file and the total, and Ctrl-C pauses all uploads', async (t) => {
  const proxy = await aStorageProxy(t)
  const settings = { ...proxy.settings, STOWAGE_CHUNK_SIZE: '100000' }
  const { baseUrl } = await aService(t, settings)
  const cli = await aCli(t, baseUrl)
  for (const name of ['a.bin', 'b.bin']) {
    await writeFile(join(cli.folder, name), someBytes(500_000))
  }
  proxy.letThrough(4)
  const running = cli.startOnTerminal({ columns: 70 }, 'upload', 'a.bin', 'b.bin')
  const seen = () => running.output().stdout
  await until('bars are drawn', () => /a\.bin +█*░* +\d+ %/.test(seen()) && proxy.accepted() === 4)
  await until('the total is drawn', () => /0\/2 files +█+░* +\d+ %/.test(seen()))
  for (const line of stripVTControlCharacters(seen()).split(/[\r\n]+/)) {
    assert.ok(widthOf(line) < 70, line)
  }

  // Ctrl-C.
  running.child.stdin?.write('\u0003')
  const { code, stdout } = await running.end()
  assert.equal(code, 130)
  assert.match(stdout, /Paused at \d+ %, 0 of 2 files/)
  assert.match(stdout, /stowage cancel ID…/)
})

terminalTest('a second Ctrl-C exits immediately and keeps everything', async (t) => {
  const proxy = await aStorageProxy(t)
  const settings = { ...proxy.settings, STOWAGE_CHUNK_SIZE: '100000' }
  const service = await aService(t, settings)
  const cli = await aCli(t, service.baseUrl)
  await writeFile(join(cli.folder, 'a.bin'), someBytes(500_000))
  proxy.letThrough(2)
  const running = cli.startOnTerminal({}, 'upload', 'a.bin')
  await until('two parts are stored', () => proxy.accepted() === 2 && proxy.held() > 0)
  running.child.stdin?.write('\u0003\u0003')
  const { code } = await running.end()
  assert.equal(code, 130)
  const [upload] = (await service.call('GET', `${API}/uploads`)).body.data
  assert.deepEqual([upload.received_parts, upload.filename], [2, 'a.bin'])

  // cancel asks, and discards only after yes.
  const answerWith = async (answer: string) => {
    const asking = cli.startOnTerminal({}, 'cancel', 'a.bin')
    await until('the command asks', () => asking.output().stdout.includes('[y/N]'))
    asking.child.stdin?.write(answer)
    return asking.end()
  }
  assert.equal((await answerWith('\r')).code, 1)
  assert.equal((await service.call('GET', `${API}/account`)).body.data.reserved, 500_000)
  const discarded = await answerWith('y\r')
  assert.deepEqual([discarded.code, /discarded/.test(discarded.stdout)], [0, true])
  assert.equal((await service.call('GET', `${API}/account`)).body.data.reserved, 0)
})

terminalTest('rm lists the products and asks, and deletes only after yes', async (t) => {
  const shop = await aStockedShop(t)
  const { cli, idOf } = shop
  const name = ODD_NAMES[1] ?? ''
  const answerWith = async (answer: string) => {
    const running = cli.startOnTerminal({}, 'rm', name)
    await until('the command asks', () => running.output().stdout.includes('[y/N]'))
    running.child.stdin?.write(answer)
    return running.end()
  }
  const refused = await answerWith('\r')
  assert.equal(refused.code, 1)
  assert.match(refused.stdout, /attached to .*\(PACK\)/)
  assert.equal((await answerWith('\u0003')).code, 1)
  assert.equal((await shop.call('GET', `${API}/assets/${idOf(name)}`)).status, 200)
  assert.equal((await answerWith('y\r')).code, 0)
  assert.equal((await shop.call('GET', `${API}/assets/${idOf(name)}`)).status, 404)
})

terminalTest('login prompts for the key without showing it', async (t) => {
  const adminKey = 'k'.repeat(40)
  const service = await aService(t, { STOWAGE_AUTH: 'keys', STOWAGE_ADMIN_KEY: adminKey })
  const cli = await aCli(t)
  const running = cli.startOnTerminal({}, 'login')
  const seen = () => running.output().stdout
  await until('the URL is prompted for', () => seen().includes('URL'))
  running.child.stdin?.write(`${service.baseUrl}\r`)
  await until('the key is prompted for', () =>
    seen().includes('Key (empty if the service does not use keys): '),
  )
  running.child.stdin?.write(`${adminKey}\r`)
  const { code, stdout } = await running.end()
  assert.equal(code, 0, stdout)
  assert.ok(!stdout.includes('kkk'), stdout)
  assert.equal((await cli.run('account')).code, 0)
})
