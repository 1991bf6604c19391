import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { readdir, writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { aFolder, cleanUp } from '@stowage/testing/machine/clean-up'
import { until } from '@stowage/testing/machine/until'
import { aStorageProxy } from '@stowage/testing/proxies/storage-proxy'
import { aService } from '@stowage/testing/service/service'
import { API, download, listAll, someBytes } from '@stowage/testing/service/upload'
import { aCli } from './support/cli.ts'

const CHUNK = 100_000
const PARTS = 12
const SIZE = PARTS * CHUNK
/** The number of parts that the client sends in parallel at first. */
const PARALLEL = 4

/** A service whose storage accepts `parts` parts and holds back the others, and a file to upload. */
async function aLimitedService(t: TestContext, parts: number) {
  const proxy = await aStorageProxy(t)
  const settings = { ...proxy.settings, STOWAGE_CHUNK_SIZE: String(CHUNK) }
  const service = await aService(t, settings)
  const cli = await aCli(t, service.baseUrl)
  const bytes = someBytes(SIZE)
  const path = join(cli.folder, 'my course.mp4')
  await writeFile(path, bytes)
  proxy.letThrough(parts)
  const account = async () => (await service.call('GET', `${API}/account`)).body.data
  const atOnce = Math.min(PARALLEL, PARTS - parts)
  const untilStuck = () =>
    until('the upload is stuck', () => proxy.accepted() === parts && proxy.held() >= atOnce)
  /** The last bytes of a client that has exited may still arrive. */
  const untilIdle = () => until('no part is held back', () => proxy.held() === 0)
  return { ...service, proxy, cli, bytes, path, account, untilStuck, untilIdle }
}

test('after kill -9, the same command in another folder sends only the missing parts', async (t) => {
  const limited = await aLimitedService(t, 8)
  const { baseUrl, proxy, cli, bytes, path, untilStuck, untilIdle } = limited
  const running = cli.start({}, 'upload', 'my course.mp4')
  await untilStuck()
  await running.end('SIGKILL')
  await untilIdle()
  const before = proxy.bytesSent()

  proxy.letThrough(Number.POSITIVE_INFINITY)
  const elsewhere = { cwd: await aFolder(t) }
  const { code, stderr } = await cli.runWith(elsewhere, 'upload', path)
  assert.equal(code, 0, stderr)
  assert.equal(proxy.bytesSent() - before, SIZE - 8 * CHUNK)
  const assets = await listAll(baseUrl)
  assert.equal(assets.length, 1)
  assert.ok((await download(baseUrl, assets[0]?.id ?? '')).equals(bytes))
})

test('with the default settings, an interrupted upload of 40 MB resumes after its complete parts', async (t) => {
  const proxy = await aStorageProxy(t)
  const { baseUrl } = await aService(t, proxy.settings)
  const cli = await aCli(t, baseUrl)
  const bytes = someBytes(40_000_000)
  await writeFile(join(cli.folder, 'video.mp4'), bytes)
  proxy.letThrough(1)
  const running = cli.start({}, 'upload', 'video.mp4')
  await until('one part is stored', () => proxy.accepted() === 1 && proxy.held() === 2)
  await running.end('SIGKILL')
  await until('no part is held back', () => proxy.held() === 0)
  const before = proxy.bytesSent()

  proxy.letThrough(Number.POSITIVE_INFINITY)
  const { code, stdout, stderr } = await cli.run('upload', 'video.mp4', '--json')
  assert.equal(code, 0, stderr)
  // A whole part (16 MB) or the last one (8 MB) is not sent again, depending on which arrived before the kill.
  assert.ok([24_000_000, 32_000_000].includes(proxy.bytesSent() - before))
  assert.ok((await download(baseUrl, JSON.parse(stdout).asset.id)).equals(bytes))
})

test('after a kill, files that were already uploaded are not sent again', async (t) => {
  const { baseUrl, proxy, cli } = await aLimitedService(t, 2)
  const { folder } = cli
  for (const name of ['a.txt', 'b.txt', 'c.txt']) await writeFile(join(folder, name), name)
  const words = ['upload', 'a.txt', 'b.txt', 'c.txt', 'my course.mp4']
  const running = cli.start({}, ...words)
  const uploaded = () => running.output().stdout.match(/\n/g)?.length
  await until('the small files are uploaded', () => proxy.held() > 0 && uploaded() === 3)
  await running.end('SIGKILL')
  const early = (await listAll(baseUrl)).map(({ id }) => id)
  assert.equal(early.length, 3)

  proxy.letThrough(Number.POSITIVE_INFINITY)
  const { code, stdout, stderr } = await cli.run(...words)
  assert.equal(code, 0, stderr)
  assert.equal((await listAll(baseUrl)).length, 4)
  assert.equal(stdout.trimEnd().split('\n').length, 4)
  for (const id of early) assert.ok(stdout.includes(id))
})

test('Ctrl-C pauses and shows the command that resumes the upload', async (t) => {
  const limited = await aLimitedService(t, 8)
  const { baseUrl, proxy, cli, account, untilStuck, untilIdle } = limited
  const running = cli.start({}, 'upload', 'my course.mp4', '--json')
  await untilStuck()
  const paused = await running.end('SIGINT')
  assert.equal(paused.code, 130)
  assert.match(paused.stderr, /Paused at \d+ %\. To resume, run:/)
  assert.match(
    paused.stderr,
    /To discard the data that was sent, run:\n {2}stowage cancel [0-9a-f-]{36}\n/,
  )
  assert.equal(JSON.parse(paused.stdout).error.code, 'interrupted')
  assert.equal((await account()).reserved, SIZE)
  await untilIdle()
  const before = proxy.bytesSent()

  proxy.letThrough(Number.POSITIVE_INFINITY)
  const command = /^ {2}stowage (.+)$/m.exec(paused.stderr)?.[1] ?? ''
  const words = execFileSync('bash', ['-c', `printf '%s\\0' ${command}`], { encoding: 'utf8' })
  const elsewhere = { cwd: await aFolder(t) }
  const { code, stderr } = await cli.runWith(elsewhere, ...words.split('\0').slice(0, -1))
  assert.equal(code, 0, stderr)
  assert.equal(proxy.bytesSent() - before, SIZE - 8 * CHUNK)
  assert.equal((await listAll(baseUrl)).length, 1)
})

test('cancel discards an unfinished upload, and the next upload starts from the beginning', async (t) => {
  const limited = await aLimitedService(t, 8)
  const { proxy, cli, account, baseUrl, untilStuck, untilIdle } = limited
  const running = cli.start({}, 'upload', 'my course.mp4')
  await untilStuck()
  const paused = await running.end('SIGINT')
  const id = /stowage cancel (\S+)/.exec(paused.stderr)?.[1] ?? ''
  await untilIdle()
  const unconfirmed = await cli.run('cancel', id)
  assert.deepEqual([unconfirmed.code, (await account()).reserved], [2, SIZE])
  const { code, stdout } = await cli.run('cancel', id, '--yes', '--json')
  assert.equal(code, 0)
  assert.deepEqual(JSON.parse(stdout), { id, filename: 'my course.mp4', cancelled: true })
  assert.equal((await account()).reserved, 0)
  const again = await cli.run('cancel', id, '--yes')
  assert.deepEqual([again.code, again.stdout], [1, ''])
  assert.match(again.stderr, /There is no asset with the ID/)

  proxy.letThrough(Number.POSITIVE_INFINITY)
  const before = proxy.accepted()
  assert.equal((await cli.run('upload', 'my course.mp4')).code, 0)
  assert.equal(proxy.accepted() - before, 12)
  const [asset] = await listAll(baseUrl)
  const ready = await cli.run('cancel', asset?.id ?? '', '--yes')
  assert.equal(ready.code, 1)
  assert.match(ready.stderr, /already uploaded\. To delete the asset, run stowage rm/)
  assert.equal((await listAll(baseUrl)).length, 1)
})

test('Ctrl-C during the checks exits immediately', async (t) => {
  const sockets: Socket[] = []
  const silent = createServer((socket) => sockets.push(socket)).listen(0, '127.0.0.1')
  cleanUp(t, () => {
    for (const socket of sockets) socket.destroy()
    silent.close()
  })
  await once(silent, 'listening')
  const { port } = silent.address() as AddressInfo
  const cli = await aCli(t, `http://127.0.0.1:${port}`)
  await writeFile(join(cli.folder, 'a.txt'), 'a')
  const running = cli.start({}, 'upload', 'a.txt', '--attach', 'PACK')
  await until('the command sends a request', () => sockets.length > 0)
  running.child.kill('SIGINT')
  await until('the command has exited', () => running.child.exitCode !== null)
  const { code, stderr } = await running.end()
  assert.equal(code, 130)
  assert.match(stderr, /Interrupted\. Nothing was sent/)
})

test('without a terminal, progress is logged, and SIGTERM pauses and exits', async (t) => {
  const { cli, account, untilStuck } = await aLimitedService(t, 2)
  const running = cli.start({}, 'upload', 'my course.mp4')
  await untilStuck()
  const seen = () => running.output().stderr
  await until('progress is logged', () => /^my course\.mp4: \d+ %, .+ of 1\.2 MB/m.test(seen()))
  const { code, stderr } = await running.end('SIGTERM')
  assert.equal(code, 130)
  assert.match(stderr, /Paused/)
  assert.equal((await account()).reserved, SIZE)
})

test('without a terminal, as under nohup, SIGHUP is ignored', async (t) => {
  const { proxy, cli, untilStuck } = await aLimitedService(t, 2)
  const running = cli.start({}, 'upload', 'my course.mp4')
  await untilStuck()
  running.child.kill('SIGHUP')
  proxy.letThrough(Number.POSITIVE_INFINITY)
  proxy.dropHeld()
  assert.equal((await running.end()).code, 0)
})

test('the copy of standard input is kept after an interruption and removed once it is uploaded', async (t) => {
  const { baseUrl, proxy, cli, bytes, untilStuck } = await aLimitedService(t, 4)
  const running = cli.start({ input: bytes }, 'upload', '-', '--name', 'dump.bin')
  await untilStuck()
  const { stderr } = await running.end('SIGINT')
  const path = /upload (\S+stowage-stdin-\S+) --name dump\.bin/.exec(stderr)?.[1] ?? ''
  proxy.letThrough(Number.POSITIVE_INFINITY)
  const { code } = await cli.run('upload', path, '--name', 'dump.bin')
  assert.equal(code, 0)
  const assets = await listAll(baseUrl)
  assert.equal(assets.length, 1)
  assert.ok((await download(baseUrl, assets[0]?.id ?? '')).equals(bytes))
  const left = (await readdir(tmpdir())).filter((name) => path.includes(`/${name}/`))
  assert.deepEqual(left, [])
})

test('a file that changed after an interrupted upload is sent from the beginning', async (t) => {
  const { baseUrl, proxy, cli, path, untilStuck } = await aLimitedService(t, 4)
  const running = cli.start({}, 'upload', 'my course.mp4')
  await untilStuck()
  await running.end('SIGKILL')
  const other = someBytes(SIZE, 2)
  await writeFile(path, other)
  proxy.letThrough(Number.POSITIVE_INFINITY)
  const restarted = await cli.run('upload', 'my course.mp4')
  assert.equal(restarted.code, 0, restarted.stderr)
  const assets = await listAll(baseUrl)
  assert.equal(assets.length, 1)
  assert.ok((await download(baseUrl, assets[0]?.id ?? '')).equals(other))
})
