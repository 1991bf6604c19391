import assert from 'node:assert/strict'
import { test } from 'node:test'
import { aService } from '@stowage/testing/service/service'
import { API, someBytes, uploadFile } from '@stowage/testing/service/upload'
import { aCli } from './support/cli.ts'

test('rm, trash and restore move assets to the trash and back', async (t) => {
  const { baseUrl, call } = await aService(t)
  const { run } = await aCli(t, baseUrl)
  const { id } = await uploadFile(baseUrl, { name: 'book.pdf', bytes: someBytes(2500) })
  const { id: other } = await uploadFile(baseUrl, { name: 'pack.zip', bytes: someBytes(9) })

  assert.equal((await run('rm', 'book.pdf', '--yes')).stdout, `${id}  book.pdf deleted\n`)
  const listed = await run('trash', 'ls')
  assert.match(
    listed.stdout,
    new RegExp(`^ID +NAME +SIZE +DELETED +REMOVED AFTER\n${id} +book\\.pdf +2\\.5 kB .*\n$`),
  )
  assert.match(
    (await run('account')).stdout,
    /free {7}[\d.]+ [GT]B, including 2\.5 kB in the trash\n {2}plan {7}1 TB \(default\)/,
  )
  assert.deepEqual(JSON.parse((await run('trash', 'ls', 'pack', '--json')).stdout), [])
  const restored = await run('restore', 'book.pdf')
  assert.deepEqual([restored.code, restored.stdout], [0, `${id}  book.pdf restored\n`])
  for (const wanted of ['book.pdf', id]) {
    const again = await run('restore', wanted)
    assert.deepEqual([again.code, again.stdout], [0, `${id}  book.pdf is not in the trash\n`])
  }
  const missing = await run('restore', 'boo.pdf')
  assert.deepEqual([missing.code, /no asset named boo\.pdf/.test(missing.stderr)], [1, true])

  assert.equal((await run('rm', id, other, '--yes')).code, 0)
  // An asset in the trash can only be deleted with --permanent, by its ID or its name.
  assert.equal((await run('rm', other, '--yes')).code, 1)
  assert.equal((await run('rm', other, 'book.pdf', '--permanent', '--yes')).code, 0)
  assert.equal((await call('GET', `${API}/assets?trashed=true`)).body.meta.total, 0)

  const { id: last } = await uploadFile(baseUrl, { name: 'last.zip', bytes: someBytes(9) })
  assert.equal((await run('rm', last, '--yes')).code, 0)
  assert.equal((await run('trash', 'empty')).code, 2)
  const emptied = await run('trash', 'empty', '--yes', '--json')
  assert.deepEqual(JSON.parse(emptied.stdout), { deleted: 1 })
  assert.equal((await run('restore', last)).code, 1)
  for (const words of [['trash'], ['trash', 'x'], ['trash', 'empty', 'x']]) {
    assert.equal((await run(...words)).code, 2, words.join(' '))
  }
})

test('without a trash, rm and trash report that deletions are permanent', async (t) => {
  const { baseUrl } = await aService(t, { STOWAGE_TRASH_FOR: '0' })
  const { run } = await aCli(t, baseUrl)
  const { id } = await uploadFile(baseUrl, { name: 'book.pdf', bytes: someBytes(9) })
  assert.equal((await run('rm', id, '--yes')).stdout, `${id}  book.pdf deleted permanently\n`)
  const listed = await run('trash', 'ls')
  assert.equal(listed.code, 0)
  assert.match(listed.stderr, /This service has no trash \(STOWAGE_TRASH_FOR=0\)/)
})

test('an empty trash is reported as empty', async (t) => {
  const { baseUrl } = await aService(t)
  const { run } = await aCli(t, baseUrl)
  assert.equal((await run('trash', 'ls')).stderr, 'The trash is empty.\n')
  assert.equal((await run('trash', 'ls', 'pack')).stderr, 'No results.\n')
  const emptied = await run('trash', 'empty', '--yes')
  assert.deepEqual([emptied.code, emptied.stdout], [0, 'The trash is empty.\n'])
  const json = await run('trash', 'empty', '--yes', '--json')
  assert.deepEqual(JSON.parse(json.stdout), { deleted: 0 })
})

test('rm deletes the assets that match a pattern, and an asset of exactly this name alone', async (t) => {
  const { baseUrl, call } = await aService(t)
  const { run } = await aCli(t, baseUrl)
  const names = ['a.tmp', 'b.tmp', 'b.tmp.zip', 'c(1).tmp', 'x?.txt', 'xy.txt']
  for (const name of names) await uploadFile(baseUrl, { name, bytes: someBytes(9) })
  for (const path of ['course', 'course/week 1', 'other']) {
    const { id } = await uploadFile(baseUrl, { name: 'film.mp4', bytes: someBytes(9) })
    await call('PUT', `${API}/assets/${id}`, { path })
  }
  const remaining = async () => {
    const { body } = await call('GET', `${API}/assets?sort=filename`)
    return body.data.map(({ path, filename }: Record<string, string | null>) =>
      path ? `${path}/${filename}` : filename,
    )
  }
  assert.equal((await run('rm', '*.tmp')).code, 2)
  const none = await run('rm', '*.pdf', '--yes')
  assert.deepEqual([none.code, none.stderr], [1, 'stowage: No asset matches *.pdf.\n'])
  assert.equal((await run('rm', 'x?.txt', '--yes')).code, 0)
  assert.equal((await run('rm', '?.tmp', '--yes')).stdout.trim().split('\n').length, 2)
  assert.equal((await run('rm', 'course/*', '--yes')).code, 0)
  assert.deepEqual((await remaining()).toSorted(), [
    'b.tmp.zip',
    'c(1).tmp',
    'course/week 1/film.mp4',
    'other/film.mp4',
    'xy.txt',
  ])
  assert.equal((await run('rm', 'course/**', 'c(*', '--yes')).code, 0)
  assert.deepEqual((await remaining()).toSorted(), ['b.tmp.zip', 'other/film.mp4', 'xy.txt'])
  assert.equal((await run('rm', '*.tmp', '*.txt', '--permanent', '--yes')).code, 0)
  assert.equal((await call('GET', `${API}/assets?trashed=true`)).body.meta.total, 2)
})
