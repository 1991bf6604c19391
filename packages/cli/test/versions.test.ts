import assert from 'node:assert/strict'
import { readFile, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { aService } from '@stowage/testing/service/service'
import { API, download, someBytes, uploadFile } from '@stowage/testing/service/upload'
import { aCli } from './support/cli.ts'

const OLD = someBytes(2500, 1)
const NEW = someBytes(2500, 2)

test('replace, versions, restore and cancel manage the versions of a file', async (t) => {
  const { baseUrl, call } = await aService(t, { STOWAGE_CHUNK_SIZE: '1000' })
  const { run, folder } = await aCli(t, baseUrl)
  const { id } = await uploadFile(baseUrl, { name: 'book.pdf', bytes: OLD })
  await writeFile(join(folder, 'fixed.pdf'), NEW)

  const replaced = await run('replace', 'book.pdf', 'fixed.pdf')
  assert.deepEqual([replaced.code, replaced.stdout], [0, `${id}  book.pdf is now version 2\n`])
  assert.ok((await download(baseUrl, id)).equals(NEW))
  const listed = await run('versions', id)
  assert.match(listed.stdout, /^VERSION +NAME +SIZE +CREATED\n2 \* +book\.pdf.*\n1 +book\.pdf.*\n$/)
  const restored = await run('restore', 'book.pdf', '1', '--json')
  assert.equal(JSON.parse(restored.stdout).version, 1)
  assert.ok((await download(baseUrl, id)).equals(OLD))

  const session = await call('POST', `${API}/assets/${id}/signed`, { size: 5 })
  const busy = await run('replace', id, 'fixed.pdf')
  assert.equal(busy.code, 1)
  assert.match(
    busy.stderr,
    /Another replacement of this asset is unfinished.*--resume [0-9a-f-]{36}.*stowage cancel/,
  )
  const cancelled = await run('cancel', id, '--yes', '--json')
  assert.deepEqual(JSON.parse(cancelled.stdout), { id, filename: 'book.pdf', cancelled: true })
  const path = `${API}/assets/${id}/upload?upload_id=${session.body.upload_id}`
  assert.equal((await call('GET', path)).status, 404)
  assert.equal((await call('GET', `${API}/assets/${id}`)).body.data.version, 1)

  // This replacement was not started by the CLI on this machine.
  const { body } = await call('POST', `${API}/assets/${id}/signed`, { size: NEW.length })
  const resumed = await run('replace', id, 'fixed.pdf', '--resume', body.upload_id)
  assert.deepEqual([resumed.code, resumed.stderr.includes('unfinished')], [0, false])
  assert.ok((await download(baseUrl, id)).equals(NEW))
  const ended = await run('replace', id, 'fixed.pdf', '--resume', session.body.upload_id)
  assert.equal(ended.code, 1)
  const both = ['replace', id, 'fixed.pdf', '--restart', '--resume', body.upload_id]
  assert.equal((await run(...both)).code, 2)

  for (const words of [['replace', id], ['restore'], ['restore', id, 'x'], ['versions']]) {
    assert.equal((await run(...words)).code, 2, words.join(' '))
  }
  const unknown = await run('restore', id, '9')
  assert.equal(unknown.code, 1)
  assert.match(unknown.stderr, /no version with this number/)
})

test('get --into reports a file that was replaced after it was downloaded', async (t) => {
  const { baseUrl } = await aService(t)
  const { run, folder } = await aCli(t, baseUrl)
  await uploadFile(baseUrl, { name: 'book.pdf', bytes: OLD })
  assert.equal((await run('get', '--all', '--into', 'copy')).code, 0)
  const copy = join(folder, 'copy/book.pdf')
  await utimes(copy, new Date(0), new Date(0))
  await writeFile(join(folder, 'fixed.pdf'), NEW)
  assert.equal((await run('replace', 'book.pdf', 'fixed.pdf', '--quiet')).code, 0)
  const outdated = await run('get', '--all', '--into', 'copy')
  assert.equal(outdated.code, 1)
  assert.match(outdated.stderr, /book\.pdf already exists, and is older than the current version/)
  assert.equal((await run('get', '--all', '--into', 'copy', '--force')).code, 0)
  assert.ok((await readFile(copy)).equals(NEW))
})

test('get --version downloads an older version under its own name', async (t) => {
  const { baseUrl } = await aService(t)
  const { run, folder } = await aCli(t, baseUrl)
  const { id } = await uploadFile(baseUrl, { name: 'book.pdf', bytes: OLD })
  await writeFile(join(folder, 'fixed.pdf'), NEW)
  assert.equal((await run('replace', id, 'fixed.pdf', '--name', 'book 2.pdf', '--quiet')).code, 0)
  assert.equal((await run('get', id, '--version', '1')).stdout, 'book.pdf\n')
  assert.ok((await readFile(join(folder, 'book.pdf'))).equals(OLD))
  const printed = await run('get', id, '--version', '1', '-o', '-')
  assert.equal(printed.code, 0)
  assert.equal((await run('get', id, '--version', '2', '-o', 'new.pdf')).code, 0)
  assert.ok((await readFile(join(folder, 'new.pdf'))).equals(NEW))
  const missing = await run('get', id, '--version', '9')
  assert.equal(missing.code, 1)
  assert.match(missing.stderr, /has no version 9\. Run stowage versions/)
  for (const words of [
    ['get', id, '--version', 'x'],
    ['get', id, 'book.pdf', '--version', '1'],
    ['get', '--all', '--into', 'copy', '--version', '1'],
  ]) {
    assert.equal((await run(...words)).code, 2, words.join(' '))
  }
})
