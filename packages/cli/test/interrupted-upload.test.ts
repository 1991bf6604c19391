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
import { listAll } from '@stowage/testing/service/list-all'
import { aService } from '@stowage/testing/service/service'
import { API, download, someBytes } from '@stowage/testing/service/upload'
import { aCommandLine } from './support/command-line.ts'
import { aStorageGate } from './support/storage-gate.ts'

const CHUNK = 100_000
const PARTS = 12
const SIZE = PARTS * CHUNK
/** So many parts the client sends at once, at first. */
const PARALLEL = 4

/** A service whose storage lets `parts` parts through and holds back the rest; and a file for it. */
async function aNarrowService(t: TestContext, parts: number) {
  const gate = await aStorageGate(t)
  const settings = { ...gate.settings, STOWAGE_CHUNK_SIZE: String(CHUNK) }
  const service = await aService(t, settings)
  const commandLine = await aCommandLine(t, service.baseUrl)
  const bytes = someBytes(SIZE)
  const path = join(commandLine.folder, 'my course.mp4')
  await writeFile(path, bytes)
  gate.letThrough(parts)
  const account = async () => (await service.call('GET', `${API}/account`)).body.data
  const atOnce = Math.min(PARALLEL, PARTS - parts)
  const untilStuck = () =>
    until('it is in the middle', () => gate.parts() === parts && gate.held() >= atOnce)
  /** Of a client that has ended, the last bytes may still arrive. */
  const untilGone = () => until('nothing is on its way', () => gate.held() === 0)
  return { ...service, gate, commandLine, bytes, path, account, untilStuck, untilGone }
}

test('after kill -9 the same command, from another folder, sends only what is missing', async (t) => {
  const scene = await aNarrowService(t, 8)
  const { baseUrl, gate, commandLine, bytes, path, untilStuck, untilGone } = scene
  const running = commandLine.start({}, 'upload', 'my course.mp4')
  await untilStuck()
  await running.end('SIGKILL')
  await untilGone()
  const before = gate.bytesSent()

  gate.letThrough(Number.POSITIVE_INFINITY)
  const elsewhere = { cwd: await aFolder(t) }
  const { code, stderr } = await commandLine.runWith(elsewhere, 'upload', path)
  assert.equal(code, 0, stderr)
  assert.equal(gate.bytesSent() - before, SIZE - 8 * CHUNK)
  const assets = await listAll(baseUrl)
  assert.equal(assets.length, 1)
  assert.ok((await download(baseUrl, assets[0]?.id ?? '')).equals(bytes))
})

test('of several files, those that arrived before the kill are not sent again', async (t) => {
  const { baseUrl, gate, commandLine } = await aNarrowService(t, 2)
  const { folder } = commandLine
  for (const name of ['a.txt', 'b.txt', 'c.txt']) await writeFile(join(folder, name), name)
  const words = ['upload', 'a.txt', 'b.txt', 'c.txt', 'my course.mp4']
  const running = commandLine.start({}, ...words)
  const arrivals = () => running.output().stdout.match(/\n/g)?.length
  await until('the small ones have arrived', () => gate.held() > 0 && arrivals() === 3)
  await running.end('SIGKILL')
  const early = (await listAll(baseUrl)).map(({ id }) => id)
  assert.equal(early.length, 3)

  gate.letThrough(Number.POSITIVE_INFINITY)
  const { code, stdout, stderr } = await commandLine.run(...words)
  assert.equal(code, 0, stderr)
  assert.equal((await listAll(baseUrl)).length, 4)
  assert.equal(stdout.trimEnd().split('\n').length, 4)
  for (const id of early) assert.ok(stdout.includes(id))
})

test('Ctrl-C pauses and says how to go on, and that command goes on', async (t) => {
  const scene = await aNarrowService(t, 8)
  const { baseUrl, gate, commandLine, account, untilStuck, untilGone } = scene
  const running = commandLine.start({}, 'upload', 'my course.mp4', '--json')
  await untilStuck()
  const paused = await running.end('SIGINT')
  assert.equal(paused.code, 130)
  assert.match(paused.stderr, /Paused at \d+ %\. To go on:/)
  assert.equal(JSON.parse(paused.stdout).error.code, 'interrupted')
  assert.equal((await account()).reserved, SIZE)
  await untilGone()
  const before = gate.bytesSent()

  gate.letThrough(Number.POSITIVE_INFINITY)
  const command = /^ {2}stowage (.+)$/m.exec(paused.stderr)?.[1] ?? ''
  const words = execFileSync('bash', ['-c', `printf '%s\\0' ${command}`], { encoding: 'utf8' })
  const elsewhere = { cwd: await aFolder(t) }
  const { code, stderr } = await commandLine.runWith(elsewhere, ...words.split('\0').slice(0, -1))
  assert.equal(code, 0, stderr)
  assert.equal(gate.bytesSent() - before, SIZE - 8 * CHUNK)
  assert.equal((await listAll(baseUrl)).length, 1)
})

test('Ctrl-C twice cancels at the service', async (t) => {
  const { gate, commandLine, account, baseUrl, untilStuck } = await aNarrowService(t, 8)
  const running = commandLine.start({}, 'upload', 'my course.mp4')
  await untilStuck()
  running.child.kill('SIGINT')
  await until('it is paused', () => running.output().stderr.includes('Paused'))
  const { code, stderr } = await running.end('SIGINT')
  assert.equal(code, 130)
  assert.match(stderr, /Cancelled: 1 upload/)
  assert.equal((await account()).reserved, 0)

  gate.letThrough(Number.POSITIVE_INFINITY)
  const before = gate.parts()
  assert.equal((await commandLine.run('upload', 'my course.mp4')).code, 0)
  assert.equal(gate.parts() - before, 12)
  assert.equal((await listAll(baseUrl)).length, 1)
})

test('after a Ctrl-C, SIGTERM and a closed terminal end the waiting, and cancel nothing', async (t) => {
  const { commandLine, account, untilStuck } = await aNarrowService(t, 4)
  const running = commandLine.start({}, 'upload', 'my course.mp4')
  await untilStuck()
  running.child.kill('SIGINT')
  await until('it is paused', () => running.output().stderr.includes('Paused'))
  const { code, stderr } = await running.end('SIGTERM')
  assert.equal(code, 130)
  assert.doesNotMatch(stderr, /Cancel/)
  assert.equal((await account()).reserved, SIZE)
})

test('Ctrl-C while the service is asked ends it at once', async (t) => {
  const sockets: Socket[] = []
  const silent = createServer((socket) => sockets.push(socket)).listen(0, '127.0.0.1')
  cleanUp(t, () => {
    for (const socket of sockets) socket.destroy()
    silent.close()
  })
  await once(silent, 'listening')
  const { port } = silent.address() as AddressInfo
  const commandLine = await aCommandLine(t, `http://127.0.0.1:${port}`)
  await writeFile(join(commandLine.folder, 'a.txt'), 'a')
  const running = commandLine.start({}, 'upload', 'a.txt', '--attach', 'PACK')
  await until('it asks', () => sockets.length > 0)
  running.child.kill('SIGINT')
  await until('it has ended', () => running.child.exitCode !== null)
  const { code, stderr } = await running.end()
  assert.equal(code, 130)
  assert.match(stderr, /Interrupted before anything was sent/)
})

test('a log is told how far it is, and SIGTERM pauses and waits for nobody', async (t) => {
  const { commandLine, account, untilStuck } = await aNarrowService(t, 2)
  const running = commandLine.start({}, 'upload', 'my course.mp4')
  await untilStuck()
  const seen = () => running.output().stderr
  await until('it says how far', () => /^my course\.mp4: \d+ %, .+ of 1\.2 MB/m.test(seen()))
  const { code, stderr } = await running.end('SIGTERM')
  assert.equal(code, 130)
  assert.match(stderr, /Paused/)
  assert.equal((await account()).reserved, SIZE)
})

test('without a terminal, as under nohup, SIGHUP ends nothing', async (t) => {
  const { gate, commandLine, untilStuck } = await aNarrowService(t, 2)
  const running = commandLine.start({}, 'upload', 'my course.mp4')
  await untilStuck()
  running.child.kill('SIGHUP')
  gate.letThrough(Number.POSITIVE_INFINITY)
  gate.dropHeld()
  assert.equal((await running.end()).code, 0)
})

test('standard input that was interrupted is kept, and gone once it has arrived', async (t) => {
  const { baseUrl, gate, commandLine, bytes, untilStuck } = await aNarrowService(t, 4)
  const running = commandLine.start({ input: bytes }, 'upload', '-', '--name', 'dump.bin')
  await untilStuck()
  const { stderr } = await running.end('SIGINT')
  const path = /upload (\S+stowage-stdin-\S+) --name dump\.bin/.exec(stderr)?.[1] ?? ''
  gate.letThrough(Number.POSITIVE_INFINITY)
  const { code } = await commandLine.run('upload', path, '--name', 'dump.bin')
  assert.equal(code, 0)
  const assets = await listAll(baseUrl)
  assert.equal(assets.length, 1)
  assert.ok((await download(baseUrl, assets[0]?.id ?? '')).equals(bytes))
  const left = (await readdir(tmpdir())).filter((name) => path.includes(`/${name}/`))
  assert.deepEqual(left, [])
})

test('a file that changed since an interrupted upload is sent from the beginning', async (t) => {
  const { baseUrl, gate, commandLine, path, untilStuck } = await aNarrowService(t, 4)
  const running = commandLine.start({}, 'upload', 'my course.mp4')
  await untilStuck()
  await running.end('SIGKILL')
  const other = someBytes(SIZE, 2)
  await writeFile(path, other)
  gate.letThrough(Number.POSITIVE_INFINITY)
  const restarted = await commandLine.run('upload', 'my course.mp4')
  assert.equal(restarted.code, 0, restarted.stderr)
  const assets = await listAll(baseUrl)
  assert.equal(assets.length, 1)
  assert.ok((await download(baseUrl, assets[0]?.id ?? '')).equals(other))
})
