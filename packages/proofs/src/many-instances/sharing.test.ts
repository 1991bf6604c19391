import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { type TestContext, test } from 'node:test'
import type { CompletedPart, UploadSession } from '@stowage/protocol'
import { until } from '@stowage/testing/machine/until'
import { ADMIN_KEY, callerWith, KEYS, requestKey } from '@stowage/testing/service/accounts'
import { callJson } from '@stowage/testing/service/service'
import {
  API,
  callUrl,
  cancel,
  complete,
  download,
  putParts,
  requestSession,
  someBytes,
} from '@stowage/testing/service/upload'
import {
  CHUNK,
  type SharedDeployment,
  type SharedEngines,
  withSharedEngines,
} from './shared-engines.ts'

const WITH_KEYS = { STOWAGE_AUTH: 'keys', STOWAGE_ADMIN_KEY: ADMIN_KEY }

interface Instances<Urls extends readonly [string, ...string[]]> extends SharedDeployment {
  /** The base URLs of the instances. */
  all: Urls
}

type Two = Instances<readonly [string, string]>
type Four = Instances<readonly [string, string, string, string]>

async function twoInstances(
  t: TestContext,
  engines: SharedEngines,
  settings: Record<string, string>,
): Promise<Two> {
  const deployment = await engines.deploy(t)
  const start = () => deployment.start(settings)
  const [one, two] = await Promise.all([start(), start()])
  return { ...deployment, all: [one.baseUrl, two.baseUrl] }
}

async function fourInstances(
  t: TestContext,
  engines: SharedEngines,
  settings: Record<string, string>,
): Promise<Four> {
  const deployment = await engines.deploy(t)
  const start = () => deployment.start(settings)
  const [one, two, three, four] = await Promise.all([start(), start(), start(), start()])
  return { ...deployment, all: [one.baseUrl, two.baseUrl, three.baseUrl, four.baseUrl] }
}

/** Sends this many requests concurrently, distributed over the instances in turn. */
function spread<Result>(
  { all }: Two | Four,
  count: number,
  call: (baseUrl: string) => Promise<Result>,
): Promise<Result[]> {
  const urls = Array.from({ length: count }, (_, index) => all[index % all.length] ?? all[0])
  return Promise.all(urls.map(call))
}

async function assertReserved({ database }: Four, reserved: number): Promise<void> {
  const usage = await database.compareUsage()
  assert.deepEqual(
    usage.map(({ actual }) => actual.reserved),
    [reserved],
  )
  for (const { counted, actual } of usage) assert.deepEqual(counted, actual)
}

/** Each of 200 concurrent requests is for a tenth of this plan. The files of the other tests fit as well. */
const PLAN = 1_000_000_000

await withSharedEngines('many instances', (engines) => {
  test('keys and their limits are shared by two instances', async (t) => {
    const limit = 20
    const two = await twoInstances(t, engines, {
      ...WITH_KEYS,
      STOWAGE_RATE_LIMIT: String(limit),
    })

    await t.test(
      'a key works on all instances as soon as it is created, and on none as soon as it is revoked',
      async () => {
        for (const [index, creator] of two.all.entries()) {
          const admin = callerWith(creator, ADMIN_KEY)
          const key = await requestKey(admin, 'read')
          const use = (baseUrl: string) => callerWith(baseUrl, key.secret)('GET', `${API}/account`)
          const before = await spread(two, 8, use)
          assert.deepEqual(new Set(before.map(({ status }) => status)), new Set([200]))
          const revoker = callerWith(two.all[1 - index] ?? creator, ADMIN_KEY)
          assert.equal((await revoker('DELETE', `${KEYS}/${key.id}`)).status, 200)
          const later = await spread(two, 8, use)
          assert.deepEqual(new Set(later.map(({ status }) => status)), new Set([401]))
        }
      },
    )

    await t.test('the rate limit counts requests to all instances together', async () => {
      const key = await requestKey(callerWith(two.all[0], ADMIN_KEY), 'read')
      const responses = await spread(two, 3 * limit, (baseUrl) =>
        callerWith(baseUrl, key.secret)('GET', `${API}/account`),
      )
      // The requests may span two minutes, each with its own count.
      const minutes = Map.groupBy(responses, ({ headers }) => headers.get('x-ratelimit-reset'))
      for (const within of minutes.values()) {
        const admitted = within.filter(({ status }) => status === 200)
        const refused = within.filter(({ status }) => status === 429)
        assert.equal(admitted.length, Math.min(limit, within.length))
        assert.equal(refused.length, within.length - admitted.length)
      }
      assert.ok(minutes.size <= 2)
    })
  })

  test('uploads are shared by four instances', async (t) => {
    const four = await fourInstances(t, engines, {
      STOWAGE_PLAN_STORAGE: String(PLAN),
      STOWAGE_CHECKSUMS: 'on',
    })

    await t.test(
      'of 200 concurrent requests for a tenth of the plan each, exactly 10 succeed, and again after these are cancelled',
      async () => {
        const request = (baseUrl: string) =>
          callJson(`${baseUrl}${API}/assets/signed`, {
            method: 'POST',
            body: { name: 'a', size: PLAN / 10 },
          })
        for (let round = 0; round < 2; round += 1) {
          const responses = await spread(four, 200, request)
          const sessions: UploadSession[] = responses
            .filter(({ status }) => status === 201)
            .map(({ body }) => body)
          const refused = responses.filter(({ body }) => body.code === 'storage_exceeded')
          assert.deepEqual([sessions.length, refused.length], [10, 190])
          assert.deepEqual(new Set(refused.map(({ status }) => status)), new Set([402]))
          await assertReserved(four, PLAN)
          const cancels = await Promise.all(
            sessions.flatMap((session, index) =>
              // Every second upload is cancelled on all instances concurrently.
              four.all.slice(0, index % 2 === 0 ? 1 : 4).map((baseUrl) => cancel(baseUrl, session)),
            ),
          )
          assert.deepEqual(new Set(cancels.map(({ status }) => status)), new Set([200]))
          await assertReserved(four, 0)
        }
      },
    )

    await t.test(
      'concurrent completions of an upload on all instances return the same asset',
      async () => {
        for (let round = 1; round <= 5; round += 1) {
          const bytes = someBytes(round * 1000, round)
          const session = await requestSession(four.all[0], { bytes })
          const parts = await putParts(session, bytes)
          const responses = await spread(four, 4, (baseUrl) => complete(baseUrl, session, parts))
          for (const { status, body } of responses) {
            assert.equal(status, 200, JSON.stringify(body))
            // Meanwhile, a job may have computed the checksum.
            const { checksum, ...asset } = body.data
            assert.partialDeepStrictEqual(responses[0]?.body.data, asset)
            assert.equal(body.data.status, 'ready')
          }
          assert.ok(bytes.equals(await download(four.all[3], session.id)))
        }
        const [usage] = await four.database.compareUsage()
        assert.partialDeepStrictEqual(usage?.counted, { stored: 15_000, reserved: 0, assets: 5 })
        assert.deepEqual(usage?.actual, usage?.counted)
        assert.equal((await four.readObjects()).length, 5)
      },
    )

    await t.test(
      'concurrent requests with one Idempotency-Key on all instances get the same session',
      async () => {
        const size = 2 * CHUNK
        for (let round = 1; round <= 3; round += 1) {
          const responses = await spread(four, 12, (baseUrl) =>
            callJson(`${baseUrl}${API}/assets/signed`, {
              method: 'POST',
              headers: { 'Idempotency-Key': `round-${round}` },
              body: { name: 'a', size },
            }),
          )
          for (const { status, body } of responses) assert.equal(status, 201, JSON.stringify(body))
          const sessions: UploadSession[] = responses.map(({ body }) => body)
          const inStorage = sessions.flatMap(({ urls }) =>
            urls.map(({ url }) => new URL(url).searchParams.get('uploadId')),
          )
          assert.equal(new Set(sessions.map(({ id }) => id)).size, 1)
          assert.equal(new Set(sessions.map(({ upload_id }) => upload_id)).size, 1)
          assert.equal(inStorage.length, 24)
          assert.equal(new Set(inStorage).size, 1)
          await assertReserved(four, round * size)
        }
      },
    )

    await t.test(
      'an upload can be started, resumed, completed and downloaded on four different instances',
      async () => {
        const [first, second, third, fourth] = four.all
        const bytes = someBytes(2 * CHUNK + 1)
        const session = await requestSession(first, { name: 'travelled.zip', bytes })
        const [sent] = await putParts({ ...session, urls: session.urls.slice(1, 2) }, bytes)
        const resumed = await callUrl(`${second}${API}/assets/${session.id}/upload`)
        assert.equal(resumed.status, 200)
        assert.deepEqual(
          resumed.body.received.map(({ PartNumber, ETag }: CompletedPart) => ({
            PartNumber,
            ETag,
          })),
          [sent],
        )
        await putParts(resumed.body, bytes)
        const completed = await complete(third, session)
        assert.deepEqual([completed.status, completed.body.data.status], [200, 'ready'])
        assert.ok(bytes.equals(await download(fourth, session.id)))
        const lists = await spread(four, 4, (baseUrl) => callUrl(`${baseUrl}${API}/assets`))
        for (const { body } of lists) assert.equal(body.data[0].id, session.id)
      },
    )

    await t.test(
      'files with declared digests are compared, and every instance knows the results',
      async () => {
        const declare = async (baseUrl: string, bytes: Buffer, declared = bytes) => {
          const body = { name: 'declared.zip', size: bytes.length, sha256: sha256Of(declared) }
          const signed = await callJson(`${baseUrl}${API}/assets/signed`, { method: 'POST', body })
          const parts = await putParts(signed.body, bytes)
          assert.equal((await complete(baseUrl, signed.body, parts)).status, 200)
          return signed.body.id as string
        }
        const [first, ...others] = four.all
        const wrong = await declare(first, someBytes(500), someBytes(501))
        const uploads = others.flatMap((baseUrl) =>
          [1, 2].map(() => declare(baseUrl, someBytes(400))),
        )
        for (const id of [wrong, ...(await Promise.all(uploads))]) {
          const results = () =>
            spread(four, 4, async (baseUrl) => {
              const url = `${baseUrl}${API}/assets/${id}/download`
              const response = await fetch(url, { redirect: 'manual' })
              const text = await response.text()
              return response.status === 409 ? JSON.parse(text).code : response.status
            })
          await until('it is compared', async () => !(await results()).includes('verifying'))
          assert.deepEqual(new Set(await results()), new Set([id === wrong ? 'damaged' : 302]))
        }
        // Each file was compared by one instance.
        const { body } = await callUrl(`${first}${API}/events?type=asset.damaged`)
        assert.deepEqual(
          body.data.map(({ data }: { data: { id: string } }) => data.id),
          [wrong],
        )
      },
    )
  })
})

function sha256Of(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex')
}
