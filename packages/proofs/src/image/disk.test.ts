import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { until } from '@stowage/testing/machine/until'
import { aSlowDownload, aSlowPut, isRefused } from '@stowage/testing/service/connections'
import { ROOT } from './build-image.ts'
import {
  aServiceInContainer,
  aVolume,
  checkHealth,
  complete,
  downloadUrl,
  expectDashboard,
  expectStored,
  FILE,
  IMAGE,
  requestSession,
  resume,
  send,
} from './container.ts'

/** The settings of the `docker run` command in docs/production.md. */
function documentedSettings(): Record<string, string> {
  const page = readFileSync(join(ROOT, 'docs/production.md'), 'utf8')
  const command = /^docker run (?:.*\\\n)+.*$/m.exec(page)?.[0] ?? assert.fail('no docker run')
  assert.match(command, / --read-only .* --volume \w+:\/data /s)
  const settings = [...command.matchAll(/--env (\w+)=(\S+)/g)].map(([, name, value]) => [
    name,
    value,
  ])
  return { ...Object.fromEntries(settings), STOWAGE_ADMIN_KEY: 'a'.repeat(64) }
}

/** The paths of all packages that are installed in the folder. */
function packagesIn(folder: string, path = 'node_modules'): string[] {
  return readdirSync(join(folder, path), { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.'))
    .flatMap(({ name }) => {
      if (name.startsWith('@') && !path.includes('@', path.lastIndexOf('/'))) {
        return packagesIn(folder, `${path}/${name}`)
      }
      const own = `${path}/${name}`
      const inner = readdirSync(join(folder, own)).includes('node_modules')
      return [own, ...(inner ? packagesIn(folder, `${own}/node_modules`) : [])]
    })
}

test('the image contains exactly the package versions of the lock file, and no development packages', async () => {
  const read = async (path: string) => JSON.parse(await readFile(path, 'utf8'))
  const locked = (await read(join(ROOT, 'package-lock.json'))).packages
  const app = join(IMAGE.files, IMAGE.config.WorkingDir)
  const packages = packagesIn(app).filter((path) => path !== 'node_modules/stowage')
  assert.ok(packages.length > 50, `${packages}`)
  for (const path of packages) {
    const { version } = await read(join(app, path, 'package.json'))
    assert.equal(version, locked[path]?.version, path)
    assert.notEqual(locked[path].dev, true, `${path} is needed for development only`)
  }
})

test('a container on SQLite and disk', async (t) => {
  const options = { environment: documentedSettings(), data: await aVolume(t) }
  let service = await aServiceInContainer(t, options)

  await t.test('runs as the user node and can only write to /data', async () => {
    assert.equal((await service.exec('id', '--user', '--name')).output, 'node\n')
    const status = await readFile(`/proc/${await service.pid()}/status`, 'utf8')
    assert.match(status, /^Uid:\t1000\t1000\t1000\t1000$/m)
    assert.match(
      status,
      /^NSpid:\t\d+\t1$/m,
      'the service is process 1 of the container, which gets the signals',
    )
    for (const path of ['/app', '/tmp', '/home/node']) {
      const { code, output } = await service.exec('touch', `${path}/new`)
      assert.notEqual(code, 0)
      assert.match(output, /Read-only file system/)
    }
    assert.equal((await service.exec('touch', '/data/new')).code, 0)
  })

  await t.test('passes its health check, which fails if the service does not respond', async () => {
    const { code, output } = await checkHealth(service)
    assert.equal(code, 0, output)
    const elsewhere = await checkHealth(service, 'STOWAGE_PORT=1')
    assert.equal(elsewhere.code, 1)
  })

  await t.test('serves the dashboard and the API reference', () => expectDashboard(service))

  const stored = await requestSession(service)
  await t.test('stores an uploaded file', async () => {
    await send(stored.urls)
    await complete(service, stored)
    await expectStored(service, stored.id)
  })

  const interrupted = await requestSession(service)
  await t.test('keeps the stored data when it is killed while it receives a part', async () => {
    const [first, second] = interrupted.urls
    assert.ok(first && second)
    await send([first])
    await aSlowPut(second.url, FILE.subarray(second.start, second.end))
    await service.kill('KILL')
    await service.ended
    service = await aServiceInContainer(t, options)
    await expectStored(service, stored.id)
  })

  await t.test('resumes the interrupted upload', async () => {
    const { received, urls } = await resume(service, interrupted.id)
    assert.deepEqual([received, urls.map(({ part }) => part)], [[1], [2, 3]])
    await send(urls)
    await complete(service, interrupted)
    await expectStored(service, interrupted.id)
  })

  await t.test('on SIGTERM finishes the transfers that are running and exits with 0', async () => {
    const session = await requestSession(service)
    const [first] = session.urls
    assert.ok(first)
    const put = await aSlowPut(first.url, FILE.subarray(first.start, first.end))
    const download = await aSlowDownload(await downloadUrl(service, stored.id))
    await service.kill('TERM')
    await until('the service refuses new connections', () => isRefused(service.baseUrl))
    assert.equal((await put.finish()).status, 200)
    assert.ok((await download.finish()).body.equals(FILE))
    assert.equal(await service.ended, 0, service.output())
    service = await aServiceInContainer(t, options)
    assert.deepEqual((await resume(service, session.id)).received, [1])
  })
})
