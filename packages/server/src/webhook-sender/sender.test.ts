import assert from 'node:assert/strict'
import { type AddressInfo, createServer as createTcpServer } from 'node:net'
import { type TestContext, test } from 'node:test'
import { anHttpServer } from '@stowage/testing/machine/ports'
import { openWebhookSender } from './sender.ts'

const REQUEST = { headers: { 'webhook-id': 'one' }, body: '{"type":"ping"}' }

test('a request is sent with its headers and body, and the response is returned', async (t) => {
  const received: unknown[] = []
  const url = await anHttpServer(t, (request, response) => {
    request.setEncoding('utf8').on('data', (body) => {
      const { 'content-type': type, 'webhook-id': id } = request.headers
      received.push(request.method, request.url, type, id, body)
      response.writeHead(503, { 'Retry-After': '120' }).end('later, please')
    })
  })
  const response = await anySender()({ ...REQUEST, url: `${url}/hook?shop=1` })
  assert.deepEqual(received, [
    'POST',
    '/hook?shop=1',
    'application/json; charset=utf-8',
    'one',
    REQUEST.body,
  ])
  assert.ok(response.durationMs >= 0)
  assert.deepEqual(
    { ...response, durationMs: 0 },
    { status: 503, error: null, response: 'later, please', retryAfter: '120', durationMs: 0 },
  )
})

test('a redirect is not followed', async (t) => {
  const paths: unknown[] = []
  const url = await anHttpServer(t, (request, response) => {
    paths.push(request.url)
    response.writeHead(307, { Location: '/elsewhere' }).end()
  })
  const { status } = await anySender()({ ...REQUEST, url: `${url}/hook` })
  assert.equal(status, 307)
  assert.deepEqual(paths, ['/hook'])
})

test('only the first kilobyte of an endless response is read', async (t) => {
  let sent = 0
  const { promise: closed, resolve } = Promise.withResolvers<void>()
  const url = await anHttpServer(t, (_request, response) => {
    const send = () => {
      while (!response.destroyed && response.write('x'.repeat(10_000))) sent += 10_000
    }
    response.on('drain', send).on('close', resolve)
    send()
  })
  const { status, response } = await anySender()({ ...REQUEST, url })
  assert.deepEqual([status, response], [200, 'x'.repeat(1024)])
  await closed
  assert.ok(sent < 50_000_000, `${sent} bytes`)
})

test('a receiver that never responds is disconnected after the timeout', async (t) => {
  const { promise: closed, resolve } = Promise.withResolvers<void>()
  const url = await anHttpServer(t, (request) => request.on('close', resolve))
  const { status, error } = await anySender({ timeoutMs: 50 })({ ...REQUEST, url })
  assert.deepEqual([status, error], [null, 'No response within 0.05 seconds'])
  await closed
})

test('a request to a name that is never resolved fails after the timeout', async () => {
  const send = anySender({ timeoutMs: 50, resolveHost: () => new Promise(() => {}) })
  const { status, error } = await send({ ...REQUEST, url: 'http://shop.example' })
  assert.deepEqual([status, error], [null, 'No response within 0.05 seconds'])
})

test('the status counts even if the body is malformed', async (t) => {
  const url = await anHttpServer(t, (request) => {
    request.socket.write('HTTP/1.1 202 Accepted\r\nTransfer-Encoding: chunked\r\n\r\n')
    request.socket.write('4\r\nhalf\r\nno size\r\n')
  })
  const { status, error } = await anySender()({ ...REQUEST, url })
  assert.deepEqual([status, error], [202, null])
})

test('the status counts even if the body stalls', async (t) => {
  const url = await anHttpServer(t, (_request, response) => {
    response.writeHead(202)
    response.write('half')
  })
  // Long enough for the beginning of the response to arrive, on a busy machine too.
  const { status, response } = await anySender({ timeoutMs: 2_000 })({ ...REQUEST, url })
  assert.deepEqual([status, response], [202, 'half'])
})

test('a receiver that switches to another protocol is disconnected immediately, with the status 101', async (t) => {
  for (const headers of ['', 'Connection: upgrade\r\nUpgrade: websocket\r\n']) {
    const { promise: closed, resolve } = Promise.withResolvers<void>()
    const server = createTcpServer((socket) => {
      socket.on('close', resolve).on('error', () => {})
      socket.once('data', () => socket.write(`HTTP/1.1 101 Switching Protocols\r\n${headers}\r\n`))
    })
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
    t.after(() => server.close())
    const { port } = server.address() as AddressInfo
    const url = `http://127.0.0.1:${port}`
    const { status, error } = await anySender()({ ...REQUEST, url })
    assert.deepEqual([status, error], [101, null])
    await closed
  }
})

test('a response that is not text is logged without characters that cannot be stored', async (t) => {
  const url = await anHttpServer(t, (_request, response) => {
    response.end(Buffer.from([0x61, 0x00, 0xff, 0x62]))
  })
  assert.equal((await anySender()({ ...REQUEST, url })).response, 'a\ufffd\ufffdb')
})

test('a receiver that never gets to a final response is disconnected after a few interim responses or kilobytes', async (t) => {
  const endless = {
    'interim responses': 'HTTP/1.1 103 Early Hints\r\nLink: </a.css>\r\n\r\n',
    'interim responses with long headers': `HTTP/1.1 103 Early Hints\r\nLink: ${'x'.repeat(12_000)}\r\n\r\n`,
    'empty lines': '\r\n'.repeat(100),
  }
  for (const [name, text] of Object.entries(endless)) {
    const receiver = await anEndlessReceiver(t, text)
    const { status, error, durationMs } = await anySender()({ ...REQUEST, url: receiver.url })
    assert.equal(status, null, name)
    assert.match(error ?? '', /^The endpoint sent too many .* without a final response$/, name)
    assert.ok(durationMs < 5_000, `${name}: ${durationMs} ms`)
    await receiver.closed
  }
})

test('a few interim responses before the final one are ignored', async (t) => {
  const url = await anHttpServer(t, (_request, response) => {
    for (let count = 0; count < 5; count += 1) response.writeEarlyHints({ link: '</a.css>' })
    response.writeHead(204).end()
  })
  const { status, error } = await anySender()({ ...REQUEST, url })
  assert.deepEqual([status, error], [204, null])
})

test('the status counts even if the body consists of endless chunk extensions', async (t) => {
  const head = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n'
  const receiver = await anEndlessReceiver(t, `1;${'x'.repeat(12_000)}\r\nx\r\n`, head)
  const { status, response } = await anySender()({ ...REQUEST, url: receiver.url })
  assert.equal(status, 200)
  assert.ok((response ?? '').length < 20, response ?? '')
  await receiver.closed
})

test('a failed connection to a host does not reveal its private address', async () => {
  const send = anySender({ resolveHost: async () => ['127.0.0.1'] })
  const { error } = await send({ ...REQUEST, url: 'http://shop.example:1' })
  assert.equal(error, 'connect ECONNREFUSED')
})

test('a connection that is refused, and a response that is not HTTP, are failures', async (t) => {
  const noHttp = createTcpServer((socket) => socket.end('SSH-2.0-OpenSSH\r\n'))
  await new Promise<void>((resolve) => noHttp.listen(0, '127.0.0.1', resolve))
  t.after(() => noHttp.close())
  const { port } = noHttp.address() as AddressInfo
  const [refused, malformed] = await Promise.all([
    anySender()({ ...REQUEST, url: 'http://127.0.0.1:1' }),
    anySender()({ ...REQUEST, url: `http://127.0.0.1:${port}` }),
  ])
  assert.match(refused.error ?? '', /ECONNREFUSED/)
  assert.match(malformed.error ?? '', /Parse Error/)
})

test('addresses that are not public are refused without connecting, including IP addresses in the URL', async (t) => {
  let requests = 0
  const url = await anHttpServer(t, (_request, response) => {
    requests += 1
    response.end()
  })
  const { port } = new URL(url)
  const send = openWebhookSender({
    targets: 'public',
    resolveHost: async () => ['127.0.0.1', '::1'],
  })
  const hosts = [
    '127.0.0.1',
    '0x7f.1',
    '2130706433',
    '[::1]',
    '[::ffff:127.0.0.1]',
    '0',
    'shop.example',
  ]
  for (const host of hosts) {
    const { status, error } = await send({ ...REQUEST, url: `http://${host}:${port}` })
    assert.equal(status, null, host)
    assert.match(error ?? '', /private address/, host)
  }
  assert.equal(requests, 0)
})

test('a name is resolved and checked for each connection, so a later change to a private address is refused', async (t) => {
  let requests = 0
  const url = await anHttpServer(t, (_request, response) => {
    requests += 1
    response.end()
  })
  // The first lookup returns no address, because the test must not connect to a public one.
  const answers = [[], ['127.0.0.1']]
  const send = openWebhookSender({
    targets: 'public',
    resolveHost: async () => answers.shift() ?? ['127.0.0.1'],
  })
  const target = { ...REQUEST, url: `http://shop.example:${new URL(url).port}` }
  const errors = [await send(target), await send(target)].map(({ error }) => error)
  assert.match(errors[0] ?? '', /no IP address/)
  assert.match(errors[1] ?? '', /private address/)
  assert.doesNotMatch(errors[1] ?? '', /127/)
  assert.equal(requests, 0)
})

test('the resolved address is the one that is connected to', async (t) => {
  const names: string[] = []
  const hosts: unknown[] = []
  const url = await anHttpServer(t, (request, response) => {
    hosts.push(request.headers.host)
    response.end()
  })
  const send = anySender({
    resolveHost: async (name) => {
      names.push(name)
      return ['127.0.0.1']
    },
  })
  const { port } = new URL(url)
  assert.equal((await send({ ...REQUEST, url: `http://shop.example:${port}` })).status, 200)
  assert.deepEqual([names, hosts], [['shop.example'], [`shop.example:${port}`]])
})

/** Repeats the text until it is disconnected. */
async function anEndlessReceiver(t: TestContext, text: string, head = '') {
  const { promise: closed, resolve } = Promise.withResolvers<void>()
  const chunk = text.repeat(Math.ceil(100_000 / text.length))
  const server = createTcpServer((socket) => {
    socket.on('close', resolve).on('error', () => {})
    const send = () => {
      while (!socket.destroyed && socket.write(chunk));
    }
    socket.once('data', () => {
      socket.write(head)
      socket.on('drain', send)
      send()
    })
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  t.after(() => server.close())
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}`, closed }
}

function anySender(options: Partial<Parameters<typeof openWebhookSender>[0]> = {}) {
  return openWebhookSender({ targets: 'any', ...options })
}
