import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3'
import { missingForCeph, startCeph } from '@stowage/testing/engines/ceph'
import { startPostgres } from '@stowage/testing/engines/postgres'
import { skipUnlessCi } from '@stowage/testing/machine/programs'
import { startTcpProxy } from '@stowage/testing/proxies/tcp-proxy'
import postgres from 'postgres'
import { readCompose } from './compose-file.ts'
import {
  aServiceInContainer,
  aVolume,
  checkHealth,
  complete,
  expectDashboard,
  expectStored,
  IMAGE,
  requestSession,
  resume,
  runContainer,
  send,
} from './container.ts'

const POSTGRES_PORT = 5432
const { stowage, proxy, database, store, bucket } = readCompose()

/** Starts PostgreSQL with the role and the database that its image would create from these settings. */
async function standInForPostgres(): Promise<void> {
  const { url, close } = await startPostgres()
  after(close)
  const { POSTGRES_USER: user = '', POSTGRES_PASSWORD: password = '' } = database
  const sql = postgres(url, { max: 1 })
  await sql.unsafe(`create role "${user}" login superuser password '${password}'`)
  await sql.unsafe(`create database "${user}" owner "${user}"`)
  await sql.end()
  const { stop } = await startTcpProxy(Number(new URL(url).port), { listenOn: POSTGRES_PORT })
  after(stop)
}

/** Starts Ceph with the key and the port of the service `store`, and creates the bucket. */
async function standInForStore(): Promise<void> {
  const { credentials } = store
  const { endpoint, region, close } = await startCeph(credentials)
  after(close)
  const { stop } = await startTcpProxy(Number(new URL(endpoint).port), { listenOn: store.port })
  after(stop)
  const client = new S3Client({ endpoint, region, credentials, forcePathStyle: true })
  await client.send(new CreateBucketCommand({ Bucket: bucket }))
  client.destroy()
}

test('compose.yaml runs the image with the tested configuration', () => {
  assert.equal(stowage.read_only, true)
  assert.deepEqual(stowage.cap_drop, ['ALL'])
  assert.deepEqual(stowage.security_opt, ['no-new-privileges:true'])
  const [, port] = /--to stowage:(\d+)/.exec(proxy.command ?? '') ?? []
  assert.ok(`${port}/tcp` in (IMAGE.config.ExposedPorts ?? {}), `port ${port} is not the image's`)
})

const missing = await missingForCeph()
test('a container with the settings of compose.yaml, on PostgreSQL and S3', async (t) => {
  if (missing !== undefined) return skipUnlessCi(t, missing)
  await Promise.all([standInForPostgres(), standInForStore()])
  const options = { environment: stowage.environment ?? {}, data: await aVolume(t) }
  let service = await aServiceInContainer(t, options)

  await t.test('passes its health check', async () => {
    const { code, output } = await checkHealth(service)
    assert.equal(code, 0, output)
  })

  await t.test('serves the dashboard and the API reference', () => expectDashboard(service))

  await t.test(
    'runs stowage doctor --fix in the same image, which finds nothing wrong',
    async () => {
      const doctor = await runContainer(t, { ...options, command: ['doctor', '--fix'] })
      assert.equal(await doctor.ended, 0, doctor.output())
    },
  )

  const stored = await requestSession(service)
  await t.test('stores an uploaded file', async () => {
    await send(stored.urls)
    await complete(service, stored)
    await expectStored(service, stored.id)
  })

  const interrupted = await requestSession(service)
  await t.test('exits with 0 on SIGTERM, and the next container has the stored data', async () => {
    await send(interrupted.urls.slice(0, 1))
    await service.kill('TERM')
    assert.equal(await service.ended, 0, service.output())
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
})
