import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { changeObject, flipBit, isOnS3 } from '@stowage/testing/engines/test-engines'
import { until } from '@stowage/testing/machine/until'
import { aService } from '@stowage/testing/service/service'
import { API, someBytes } from '@stowage/testing/service/upload'
import { aCli } from './support/cli.ts'

/* Runs on sqlite+disk and postgres+ceph. */

const BYTES = someBytes(2500, 1)
const OTHER = someBytes(2500, 2)
const SHA256 = createHash('sha256').update(BYTES).digest('hex')

test('upload declares the digest, and verify and get compare the file with it', async (t) => {
  const service = await aService(t, { STOWAGE_CHECKSUMS: 'on' })
  const { baseUrl, call } = service
  const { run, folder } = await aCli(t, baseUrl)
  await writeFile(join(folder, 'book.pdf'), BYTES)
  const uploaded = await run('upload', 'book.pdf', '--json')
  const { id } = JSON.parse(uploaded.stdout).asset
  const data = service.context.database.of(
    (await service.context.database.findAccount('default'))?.id ?? '',
  )
  // The upload has declared the digest. Otherwise, the service would compute it later.
  assert.equal((await data.findAsset(id))?.integrity.sha256, SHA256)
  const read = async () => (await call('GET', `${API}/assets/${id}`)).body.data
  await until('the digest is known', async () => (await read()).checksum !== null)
  const verified = await run('verify', 'book.pdf')
  assert.deepEqual([verified.code, verified.stdout], [0, `${SHA256}  book.pdf\n`])
  const all = await run('verify', '--all', '--json')
  assert.equal(JSON.parse(all.stdout).verified, true)

  await changeObject(service, id, OTHER)
  const changed = await run('verify', 'book.pdf')
  assert.equal(changed.code, 1)
  assert.match(
    changed.stderr,
    /book\.pdf: The downloaded bytes of book\.pdf do not match the SHA-256/,
  )
  for (const output of ['copy.pdf', '-']) {
    const got = await run('get', 'book.pdf', '-o', output)
    assert.equal(got.code, 1)
    assert.match(got.stderr, /do not match the SHA-256/)
  }
  assert.equal((await run('verify')).code, 2)
  assert.equal((await run('verify', '--all', 'book.pdf')).code, 2)
  for (const command of ['verify', 'get']) {
    const filtered = await run(command, 'book.pdf', '--search', 'other')
    assert.equal(filtered.code, 2)
    assert.match(filtered.stderr, /--search needs --all/)
  }
})

test('verify and get find a flipped bit in a stored file, and get leaves no file', async (t) => {
  const service = await aService(t, { STOWAGE_CHECKSUMS: 'on' })
  const { run, folder } = await aCli(t, service.baseUrl)
  const ids = new Map<string, string>()
  for (const name of ['first.bin', 'second.bin', 'intact.bin']) {
    await writeFile(join(folder, name), BYTES)
    ids.set(name, JSON.parse((await run('upload', name, '--json')).stdout).asset.id)
  }
  const isVerified = async (id: string) =>
    (await service.call('GET', `${API}/assets/${id}`)).body.data.checksum !== null
  for (const [name, id] of ids) {
    await until(`${name} is verified`, () => isVerified(id))
    if (name !== 'intact.bin') await flipBit(service, { key: id, bytes: BYTES.length })
  }
  const got = await run('get', 'first.bin', '-o', 'copy.bin')
  assert.equal(got.code, 1)
  assert.match(got.stderr, /damaged|do not match the SHA-256/)
  await assert.rejects(readFile(join(folder, 'copy.bin')), { code: 'ENOENT' })
  const all = await run('verify', '--all')
  assert.deepEqual([all.code, all.stdout], [1, `${SHA256}  intact.bin\n`])
  for (const name of ['first.bin', 'second.bin']) {
    assert.match(all.stderr, new RegExp(`${name}: .*(damaged|do not match the SHA-256)`))
  }
  // Downloads from S3 bypass the service, so it has not noticed the damage yet.
  if (isOnS3) return
  const damaged = /first\.bin +2\.5 kB +damaged +2/
  await until('the damage is listed', async () => damaged.test((await run('ls')).stdout))
  assert.match((await run('versions', 'first.bin')).stdout, /STATE.*\n1 \* .* damaged /)
  const shown = (await run('show', 'first.bin', 'intact.bin')).stdout
  assert.match(shown, new RegExp(`first.*status +damaged: replace.*sha256 +${SHA256}.*intact`, 's'))
  assert.doesNotMatch(shown, /intact.*damaged/s)
})
