import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import {
  ADMIN_KEY,
  aKeyedService,
  anAccount,
  callerWith,
  type TestAccount,
} from '@stowage/testing/service/accounts'
import { aProductToPut, storeLink } from '@stowage/testing/service/shop'
import { API } from '@stowage/testing/service/upload'
import { aRawConnection, type RawConnection } from '../../support/raw-connection.ts'

const LARGEST = 8 * 2 ** 20

/** Sends the start of the largest body that the service accepts, and never its end. */
function holdBody(t: TestContext, baseUrl: string, secret: string): RawConnection {
  const connection = aRawConnection(t, baseUrl)
  connection.socket.write(`${headOf(baseUrl, secret)}Content-Length: ${LARGEST}\r\n\r\n{`)
  return connection
}

function headOf(baseUrl: string, secret: string): string {
  const { host } = new URL(baseUrl)
  // The service sends "100 Continue" when it starts to read the body.
  return `PUT ${API}/products HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${secret}\r\nContent-Type: application/json\r\nExpect: 100-continue\r\n`
}

/** Holds as many of the largest bodies as each of these keys may send at the same time. */
async function holdAll(t: TestContext, baseUrl: string, keys: string[]): Promise<RawConnection[]> {
  const held = keys.flatMap((key) => [1, 2, 3].map(() => holdBody(t, baseUrl, key)))
  for (const connection of held) await connection.waitFor('100 Continue')
  return held
}

/** Otherwise the service would wait for these requests when it is closed. */
function disconnect(connections: RawConnection[]): void {
  for (const { socket } of connections) socket.destroy()
}

function keysOf({ keys }: TestAccount): string[] {
  return [keys.write.secret, keys.manage.secret]
}

test('bodies that a client holds back do not use up memory, and keep out neither its small bodies nor other accounts', async (t) => {
  const service = await aKeyedService(t)
  const { baseUrl } = service
  const one = await anAccount(service, { name: 'one' })
  const other = await anAccount(service, { name: 'other' })
  const held = await holdAll(t, baseUrl, [one.keys.write.secret])
  const refused = holdBody(t, baseUrl, one.keys.write.secret)
  const chunked = aRawConnection(t, baseUrl)
  const chunk = `${(100_000).toString(16)}\r\n${'x'.repeat(100_000)}\r\n`
  const head = headOf(baseUrl, one.keys.write.secret)
  chunked.socket.write(`${head}Transfer-Encoding: chunked\r\n\r\n${chunk}`)

  const shop = { ...service, call: callerWith(baseUrl, one.keys.write.secret) }
  await storeLink(shop)
  const products = { products: [aProductToPut({ variant_id: 1 })] }
  assert.equal((await other.call('PUT', `${API}/products`, products)).status, 200)
  assert.equal(refused.received(), '')
  for (const connection of [refused, chunked]) {
    await connection.waitFor('"code":"too_many_requests"')
    assert.match(connection.received(), /HTTP\/1\.1 429 .*Retry-After: 2\r\n/is)
  }

  // A client that disconnects while its body waits takes no memory.
  disconnect([1, 2, 3].map(() => holdBody(t, baseUrl, one.keys.write.secret)))
  const waiting = holdBody(t, baseUrl, one.keys.write.secret)
  disconnect([...held, refused, chunked])
  await waiting.waitFor('100 Continue')
  disconnect([waiting])
})

test('if all accounts together hold too many bodies, further large ones are refused, and small ones are not', async (t) => {
  const service = await aKeyedService(t)
  const { baseUrl } = service
  const accounts = await Promise.all(['a', 'b', 'c'].map((name) => anAccount(service, { name })))
  const held = await holdAll(t, baseUrl, accounts.flatMap(keysOf))
  const refused = holdBody(t, baseUrl, ADMIN_KEY)
  for (const secret of [ADMIN_KEY, ...accounts.flatMap(keysOf)]) {
    await storeLink({ ...service, call: callerWith(baseUrl, secret) })
  }
  await refused.waitFor('"code":"overloaded"')
  assert.match(refused.received(), /HTTP\/1\.1 503 .*Retry-After: 2\r\n/is)
  disconnect([...held, refused])
  disconnect(await holdAll(t, baseUrl, [ADMIN_KEY]))
})

test('the memory of a body is free again after the call, whether it succeeds or is refused', async (t) => {
  const service = await aKeyedService(t)
  const call = callerWith(service.baseUrl, ADMIN_KEY)
  const noObject = 'x'.repeat(LARGEST - 100)
  for (let count = 0; count < 5; count += 1) {
    assert.equal((await call('PUT', `${API}/products`, noObject)).status, 422)
    const valid = await call('PUT', `${API}/products`, {
      products: [aProductToPut({ variant_id: 1 })],
    })
    assert.equal(valid.status, 200)
  }
  // The service refuses them if it still counts the other bodies.
  disconnect(await holdAll(t, service.baseUrl, [ADMIN_KEY]))
})

test('the body of a request without a valid key is not read', async (t) => {
  const { baseUrl } = await aKeyedService(t)
  const connection = holdBody(t, baseUrl, `stow_${'x'.repeat(49)}`)
  await connection.waitFor('"code":"unauthenticated"')
  assert.doesNotMatch(connection.received(), /100 Continue/)
  disconnect([connection])
})
