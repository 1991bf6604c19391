import assert from 'node:assert/strict'
import { readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { aFolder } from '@stowage/testing/machine/clean-up'
import type { SavedUpload } from '../upload/store.ts'
import { openFileStore } from './file-store.ts'

const aState = (size: number): SavedUpload => ({
  key: 'http://files.example a.txt /a.txt',
  name: 'a.txt',
  size,
  mime: '',
  version: '1',
  idempotencyKey: 'key',
  digests: {},
  startedAt: '2026-11-18T12:00:00.000Z',
})

test('the ID of a small file is stored together with the digest of its first part', async (t) => {
  const store = openFileStore(await aFolder(t))
  const state = aState(100_000)
  assert.equal(await store.add?.(state), state)
  const before = structuredClone(state)
  state.id = 'id'
  await store.set(state)
  assert.deepEqual(await store.get(state.key), before)
  state.digests[1] = 'digest'
  await store.set(state)
  assert.deepEqual(await store.get(state.key), state)
})

test('the ID of a large file is stored immediately', async (t) => {
  const store = openFileStore(await aFolder(t))
  const state = aState(2_000_000)
  await store.add?.(state)
  state.id = 'id'
  await store.set(state)
  assert.deepEqual(await store.get(state.key), state)
})

test('state that was not added before is stored, even if nothing was sent yet', async (t) => {
  const store = openFileStore(await aFolder(t))
  const state = { ...aState(100_000), id: 'id' }
  await store.set(state)
  assert.deepEqual(await store.list(), [state])
})

test('two states with one key are added as one, and damaged state is replaced', async (t) => {
  const folder = await aFolder(t)
  const [store, other] = [openFileStore(folder), openFileStore(folder)]
  const state = aState(100_000)
  await store.add?.(state)
  assert.deepEqual(await other.add?.({ ...state, idempotencyKey: 'other' }), state)
  const [name = ''] = await readdir(folder)
  await writeFile(join(folder, name), '{"key":')
  const next = { ...state, idempotencyKey: 'next' }
  assert.equal(await other.add?.(next), next)
  assert.deepEqual(await store.get(state.key), next)
  await store.delete(state.key)
  await store.delete(state.key)
  assert.deepEqual(await readdir(folder), [])
})
