import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { anHttpServer } from '@stowage/testing/machine/ports'
import { sendLoad } from './send-load.ts'

const requests = [{ path: '/' }]

test('the load on a server that always succeeds is measured', async (t) => {
  let responses = 0
  const url = await anHttpServer(t, (_, response) => {
    responses += 1
    response.end()
  })
  const { count, perSecond } = await sendLoad({ url, requests, seconds: 1, clients: 2 })
  // Two requests were sent before the load. The response to the last request of each client may not be counted.
  const sent = responses - 2
  assert.ok(count > 0 && count <= sent && count >= sent - 2, `${count} of ${sent}`)
  assert.ok(perSecond > 0)
})

test('one refusal among many responses makes the load fail', async (t) => {
  let count = 0
  const url = await anHttpServer(t, (_, response) => {
    count += 1
    response.writeHead(count === 4 ? 503 : 200).end()
  })
  await assert.rejects(sendLoad({ url, requests, seconds: 1, clients: 2 }), /refusals/)
})

test('on a slow server, every request gets a response and is counted', async (t) => {
  let responses = 0
  let last = Promise.resolve()
  const url = await anHttpServer(t, (_, response) => {
    last = last
      .then(() => pause(120))
      .then(() => {
        responses += 1
        response.end()
      })
  })
  const { count, perSecond } = await sendLoad({ url, requests, seconds: 1, clients: 4 })
  assert.ok(count >= 4)
  // Two requests were sent before the load, to measure how slow the server is.
  assert.equal(responses, count + 2)
  assert.ok(perSecond > 0 && perSecond < 9, `${perSecond}`)
})
