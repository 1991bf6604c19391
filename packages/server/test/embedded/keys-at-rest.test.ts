import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import {
  ADMIN_KEY,
  aKeyedService,
  anAccount,
  callerWith,
  KEYS,
  requestKey,
} from '@stowage/testing/service/accounts'
import { API } from '@stowage/testing/service/upload'

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
