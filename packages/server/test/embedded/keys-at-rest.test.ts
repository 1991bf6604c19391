import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { globSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { aFolder } from '@stowage/testing/machine/clean-up'
import { until } from '@stowage/testing/machine/until'
import {
  ADMIN_KEY,
  aKeyedService,
  anAccount,
  callerWith,
  KEYS,
  requestKey,
} from '@stowage/testing/service/accounts'
import { aWebhookReceiver } from '@stowage/testing/service/events'
import { anEmbeddedService, callJson } from '@stowage/testing/service/service'
import { aFailedStart } from '@stowage/testing/service/service-process'
import { stowage } from '@stowage/testing/service/stowage-command'
import { API } from '@stowage/testing/service/upload'

test('a key in the data folder encrypts the secrets of webhooks; without it, the service serves all but webhooks', async (t) => {
  const folder = await aFolder(t)
  const settings = { STOWAGE_DATA: folder, STOWAGE_WEBHOOK_TARGETS: 'any' }
  const receiver = await aWebhookReceiver(t)
  const first = await anEmbeddedService(t, settings)
  const created = await postTo(first, '/webhooks', { url: receiver.url })
  const path = `/webhooks/${created.body.data.id}`
  await first.close()
  assert.match(created.body.data.secret, /^whsec_/)
  assert.ok(!filesOf(folder).includes(created.body.data.secret))
  const file = join(folder, 'storage', 'secret-key')
  assert.equal(statSync(file).mode & 0o777, 0o600)
  const key = readFileSync(file, 'utf8').trim()

  rmSync(file)
  const keyless = await anEmbeddedService(t, settings)
  const ready = await fetch(`${keyless.baseUrl}/readyz`)
  assert.equal(ready.status, 200)
  assert.match(await ready.text(), /webhooks are not sent: the key .* is missing or wrong/)
  const products = [{ product_id: 1, variant_id: 1, name: 'Presets' }]
  const put = { method: 'PUT', body: { products } }
  assert.equal((await callJson(`${keyless.baseUrl}${API}/products`, put)).status, 200)
  for (const response of [
    await postTo(keyless, `${path}/rotate`),
    await postTo(keyless, '/webhooks', { url: receiver.url }),
  ]) {
    assert.deepEqual([response.status, response.body.code], [503, 'secret_key_missing'])
    // A retry does not help.
    assert.equal(response.headers.get('retry-after'), null)
    assert.match(response.body.message, /key is missing or wrong\. .*: stowage doctor shows/)
  }
  assert.equal((await postTo(keyless, `${path}/ping`)).body.data.status, 'failed')
  await keyless.close()
  const wrong = { ...settings, STOWAGE_SECRET_KEY: 'a'.repeat(64) }
  assert.match((await aFailedStart(wrong)).stderr, /STOWAGE_SECRET_KEY is not the key/)
  const examined = await stowage(settings, 'doctor')
  assert.match(examined.stdout, /^ERROR +secret key: .* is missing/m)

  const configured = await anEmbeddedService(t, { ...settings, STOWAGE_SECRET_KEY: key })
  assert.equal((await postTo(configured, `${path}/ping`)).body.data.status, 'succeeded')
  const isSent = () => receiver.received.some(({ body }) => body.includes('Presets'))
  await until('what was pending without the key is sent', isSent)
  await configured.close()

  writeFileSync(file, 'garbage')
  const garbage =
    /secret-key does not contain a secret key\. Restore it .*delete this file .*: stowage adopt/
  assert.match((await aFailedStart(settings)).stderr, garbage)
  rmSync(file)
  assert.equal((await stowage(settings, 'adopt', '--yes')).code, 0)
  const adopted = await anEmbeddedService(t, settings)
  const failed = (await postTo(adopted, `${path}/ping`)).body.data
  assert.match(failed.attempts[0].error, /cannot be decrypted.*rotate/)
  const rotated = await postTo(adopted, `${path}/rotate`)
  assert.equal(rotated.status, 200)
  assert.equal((await postTo(adopted, `${path}/ping`)).body.data.status, 'succeeded')
})

function postTo({ baseUrl }: { baseUrl: string }, path: string, body?: unknown) {
  return callJson(baseUrl + API + path, { method: 'POST', body })
}

/** All bytes in the folder. */
function filesOf(folder: string): Buffer {
  const files = globSync('**/*', { cwd: folder, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
  return Buffer.concat(files.map((file) => readFileSync(file)))
}

test('API keys and session tokens are stored only as hashes: no secret occurs in any table or file of the data folder', async (t) => {
  const service = await aKeyedService(t)
  const { keys, call } = await anAccount(service, { name: 'default' })
  const created = await requestKey(call, 'write')
  await call('DELETE', `${KEYS}/${created.id}`)
  const secrets = [...Object.values(keys).map(({ secret }) => secret), created.secret, ADMIN_KEY]
  for (const secret of secrets) await callerWith(service.baseUrl, secret)('GET', `${API}/assets`)
  const tokens = await Promise.all(
    [keys.manage.secret, ADMIN_KEY].map(async (secret) => {
      const { headers } = await callerWith(service.baseUrl, secret)('POST', `${API}/session`, {})
      return /=([\w-]{43});/.exec(headers.get('set-cookie') ?? '')?.[1] ?? ''
    }),
  )

  const database = new DatabaseSync(join(service.folder, 'stowage.db'), { readOnly: true })
  const tables = database.prepare(`select name from sqlite_schema where type = 'table'`).all()
  const rows = tables.flatMap(({ name }) => database.prepare(`select * from "${name}"`).all())
  database.close()
  const stored = JSON.stringify(rows)
  const files = globSync('**/*', { cwd: service.folder, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
  assert.ok(files.some((file) => file.endsWith('stowage.db-wal')))
  const bytes = Buffer.concat(files.map((file) => readFileSync(file)))
  for (const token of tokens) {
    const hash = createHash('sha256').update(token).digest('hex')
    assert.ok(token !== '' && stored.includes(hash) && !bytes.includes(token), token)
  }
  for (const secret of secrets) {
    assert.ok(!stored.includes(secret) && !bytes.includes(secret), secret)
    assert.ok(!bytes.includes(secret.slice(5, 37)), 'a part of a secret is stored')
    const hash = createHash('sha256').update(secret).digest('hex')
    // The admin key comes from the settings and is not stored at all.
    assert.equal(stored.includes(hash) && bytes.includes(hash), secret !== ADMIN_KEY)
  }
})
