import assert from 'node:assert/strict'
import { test } from 'node:test'
import { aService } from '@stowage/testing/service/service'
import { putProducts, storeManyLinks } from '@stowage/testing/service/shop'
import { API } from '@stowage/testing/service/upload'
import { aCli } from './support/cli.ts'

test('all matches are tagged, moved, attached and deleted, and each change can be undone', async (t) => {
  const service = await aService(t)
  const { baseUrl, call } = service
  const { run } = await aCli(t, baseUrl)
  await storeManyLinks(service, 3, { path: 'a' })
  await storeManyLinks(service, 2, { path: 'b' })
  await putProducts(service, [{ product_id: 1, variant_id: 1, name: 'One', sku: 'ONE' }])
  const count = async (query: string) =>
    (await call('GET', `${API}/assets?exact_total=true&${query}`)).body.meta.total
  const tagged = await run(
    'bulk',
    'tag',
    '--path',
    'a',
    '--tags',
    'x',
    '--tags',
    'y',
    '--yes',
    '--json',
  )
  assert.equal(tagged.code, 0, tagged.stderr)
  const job = JSON.parse(tagged.stdout)
  assert.deepEqual([job.status, job.changed, await count('tag=y')], ['finished', 3, 3])
  const undone = await run('bulk', 'undo', job.id)
  assert.match(undone.stdout, /untag finished: 3 changed, 0 skipped/)
  assert.equal(await count('tag=y'), 0)
  await run('bulk', 'move', '--path', 'a', '--to', 'c', '--yes')
  await run('bulk', 'attach', '--path', 'c', '--product', 'ONE', '--yes')
  assert.deepEqual([await count('path=c'), await count('product_id=1')], [3, 3])
  const deleted = await run('bulk', 'delete', '--attached', '--yes')
  assert.match(deleted.stdout, /delete finished: 3 changed/)
  assert.match(deleted.stderr, /To undo it: stowage bulk undo [0-9a-f-]{36}/)
  assert.equal(await count('trashed=true'), 3)
  assert.equal((await run('bulk', 'restore', '--trashed', '--yes')).code, 0)
  const listed = await run('bulk', 'ls')
  assert.match(listed.stdout, /restore +finished +3\/3 +3/)
  const cancelled = await run('bulk', 'cancel', job.id, '--json')
  assert.equal(JSON.parse(cancelled.stdout).status, 'finished')
})

test('a bulk change without its value, with the value of another action, or without --yes is refused', async (t) => {
  const { baseUrl } = await aService(t)
  const { run } = await aCli(t, baseUrl)
  for (const words of [
    [],
    ['burn'],
    ['delete'],
    ['tag', '--yes'],
    ['move', '--yes'],
    ['attach', '--yes'],
    ['delete', '--tags', 'a', '--yes'],
    ['restore', '--permanent', '--yes'],
    ['delete', 'a.zip', '--yes'],
    ['undo'],
  ]) {
    assert.equal((await run('bulk', ...words)).code, 2, words.join(' '))
  }
})
