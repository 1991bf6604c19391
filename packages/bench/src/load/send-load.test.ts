import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { type TestContext, test } from 'node:test'
import { sendLoad } from './send-load.ts'

/** Refuses every so many-th request. */
async function aServer(t: TestContext, refuseEvery: number): Promise<string> {
  let count = 0
  const server = createServer((_, response) => {
    count += 1
    response.writeHead(count % refuseEvery === 0 ? 503 : 200).end()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  const address = server.address()
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`
}

const requests = [{ path: '/' }]

test('load on a server that always answers is measured', async (t) => {
  const url = await aServer(t, Number.POSITIVE_INFINITY)
  const { count, perSecond } = await sendLoad({ url, requests, seconds: 1, clients: 2 })
  assert.ok(count > 0)
  assert.ok(perSecond > 0)
})

test('one refusal among many answers makes the load fail', async (t) => {
  const url = await aServer(t, 50)
  await assert.rejects(sendLoad({ url, requests, seconds: 1, clients: 2 }), /refusals/)
})
