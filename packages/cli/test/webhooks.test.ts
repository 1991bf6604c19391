import assert from 'node:assert/strict'
import { test } from 'node:test'
import { anHttpServer } from '@stowage/testing/machine/ports'
import { until } from '@stowage/testing/machine/until'
import { aService } from '@stowage/testing/service/service'
import { API } from '@stowage/testing/service/upload'
import { aCli } from './support/cli.ts'

test('webhooks are added, tested, disabled, rotated and deleted, and deliveries are shown and repeated', async (t) => {
  const { baseUrl, call } = await aService(t)
  const { run } = await aCli(t, baseUrl)
  let status = 200
  let requests = 0
  const receiver = await anHttpServer(t, (_request, response) => {
    requests += 1
    response.writeHead(status).end('received')
  })
  const url = `${receiver}/hook`

  const added = await run(
    'webhooks',
    'add',
    url,
    '--type',
    'asset.ready',
    '--type',
    'asset.deleted',
  )
  assert.match(added.stdout, /^whsec_[A-Za-z0-9+/]{43}=\n$/)
  const [, id = ''] = /Webhook (\S+)\./.exec(added.stderr) ?? assert.fail(added.stderr)
  const listed = await run('webhooks', 'ls')
  assert.match(
    listed.stdout,
    new RegExp(`^ID .*\n${id} +${url} +enabled +0 +asset\\.ready, asset\\.deleted `),
  )
  assert.match((await run('webhooks', 'show', id)).stdout, /\n {2}state +enabled\n/)
  const [json] = JSON.parse((await run('webhooks', 'ls', '--json')).stdout)
  assert.deepEqual([json.id, 'secret' in json], [id, false])

  const ping = await run('webhooks', 'ping', id)
  assert.match(ping.stdout, /^ping succeeded: HTTP 200 in \d+ ms\n$/)
  status = 500
  const failed = await run('webhooks', 'ping', id)
  assert.deepEqual([failed.code, /^ping failed: HTTP 500/.test(failed.stdout)], [1, true])
  status = 200

  const link = { filename: 'a.zip', url: 'https://example.com/a.zip' }
  await call('POST', `${API}/assets/store`, link)
  await until('the event is sent', () => requests === 3)
  const find = async () => {
    const { stdout } = await run('webhooks', 'deliveries', id, '--status', 'succeeded', '--json')
    return JSON.parse(stdout).find(({ type }: { type: string }) => type === 'asset.ready')
  }
  await until('the delivery is recorded', async () => (await find()) !== undefined)
  const { id: delivery } = await find()
  const table = await run('webhooks', 'deliveries', id, '-n', '1')
  assert.match(
    table.stdout,
    new RegExp(`^ID .*\n${delivery} +asset\\.ready +succeeded +HTTP 200 in `),
  )
  assert.match(table.stderr, /Showing 1 of 3/)
  const shown = await run('webhooks', 'deliveries', id, delivery)
  assert.match(shown.stdout, /asset\.ready succeeded: HTTP 200.*received.*"filename":"a\.zip"/s)
  assert.equal(
    (await run('webhooks', 'redeliver', id, delivery)).stdout,
    `${delivery}  will be sent again\n`,
  )
  await until('the delivery is sent again', () => requests === 4)

  assert.equal((await run('webhooks', 'disable', id)).stdout, `${id}  ${url} disabled\n`)
  const refused = await run('webhooks', 'redeliver', id, delivery)
  assert.deepEqual([refused.code, /is disabled/.test(refused.stderr)], [1, true])
  assert.equal((await run('webhooks', 'enable', id)).stdout, `${id}  ${url} enabled\n`)
  assert.match((await run('webhooks', 'rotate', id)).stdout, /^whsec_/)
  assert.match((await run('webhooks', 'show', id)).stdout, /old secret +valid until/)
  assert.equal((await run('webhooks', 'rm', id)).code, 2)
  assert.equal((await run('webhooks', 'rm', id, '--yes')).stdout, `${id}  ${url} deleted\n`)
  assert.equal((await run('webhooks', 'show', id)).code, 1)

  for (const words of [
    [],
    ['x'],
    ['add'],
    ['ping'],
    ['deliveries'],
    ['redeliver', id],
    ['ls', 'x'],
  ]) {
    assert.equal((await run('webhooks', ...words)).code, 2, words.join(' '))
  }
  const unknown = await run('webhooks', 'add', url, '--type', 'asset.exploded')
  assert.deepEqual([unknown.code, /types/.test(unknown.stderr)], [1, true])
})
