import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { createClient as createBrowserClient, isStowageError } from '@stowage/client'
import { stowage } from '@stowage/client/uppy'
import { aService } from '@stowage/testing/service/service'
import { someBytes } from '@stowage/testing/service/upload'
import { aClient } from './support/client.ts'

const QUIET = { STOWAGE_LOG: 'warn' }

test('an upload sends the folder of the file, and a filter finds it', async (t) => {
  const { baseUrl } = await aService(t, QUIET)
  const { client } = await aClient(t, { baseUrl })
  for (const path of ['course/week 1', 'Cafe\u0301', undefined, null]) {
    const asset = await client.upload(someBytes(10), { name: 'notes.txt', path })
    assert.equal(asset.path, path?.normalize('NFC') ?? null)
  }
  const found = await Array.fromAsync(client.assets({ path: 'course/' }))
  assert.deepEqual(
    found.map(({ path }) => path),
    ['course/week 1'],
  )
  const [asset] = found
  assert.equal((await client.change(asset?.id ?? '', { path: null })).path, null)
  await assert.rejects(client.upload(someBytes(1), { path: '../up' }), (error) =>
    isStowageError(error, 'invalid'),
  )
})

test('a file of a folder that was chosen in a page keeps its folder', async (t) => {
  const { baseUrl } = await aService(t, QUIET)
  const page = createBrowserClient({ baseUrl })
  const chosen = (relativePath: string) =>
    Object.defineProperty(new File(['a'], 'notes.txt'), 'webkitRelativePath', {
      value: relativePath,
    })
  assert.equal((await page.upload(chosen('course/week 1/notes.txt'))).path, 'course/week 1')
  assert.equal((await page.upload(chosen(''))).path, null)
  assert.equal((await page.upload(chosen('a/notes.txt'), { path: 'b' })).path, 'b')
  assert.equal((await page.upload(chosen('a/notes.txt'), { path: null })).path, null)
})

test('an upload that is resumed with another path gets that path', async (t) => {
  const { baseUrl } = await aService(t, QUIET)
  const { client, folder } = await aClient(t, { baseUrl })
  const file = join(folder, 'film.mov')
  await writeFile(file, someBytes(1000))
  const interrupt = new AbortController()
  const stopped = client.upload(file, {
    path: 'before',
    signal: interrupt.signal,
    onProgress: ({ state }) => state === 'sending' && interrupt.abort(),
  })
  await assert.rejects(stopped)
  const [unfinished] = await Array.fromAsync(client.uploads())
  assert.deepEqual([unfinished?.path, unfinished?.id], ['before', stopped.id])
  const asset = await client.upload(file, { path: 'after' })
  assert.deepEqual([asset.id, (await client.asset(asset.id)).path], [stopped.id, 'after'])
})

test('the adapter for Uppy sends the folder of a file in a dropped folder', async (t) => {
  const { baseUrl } = await aService(t, QUIET)
  const { client } = await aClient(t, { baseUrl })
  const begin = async (options: ReturnType<typeof stowage>, relativePath: string | null) => {
    const key = options.generateObjectKey({ name: 'a.txt', size: 5, meta: { relativePath } })
    return options.signRequest({ method: 'POST', key })
  }
  await begin(stowage({ baseUrl }), 'course/week 1/a.txt')
  await begin(stowage({ baseUrl }), null)
  await begin(stowage({ baseUrl, path: ({ name }) => `by ${name}` }), 'ignored/a.txt')
  const uploads = await Array.fromAsync(client.uploads())
  assert.deepEqual(
    uploads.map(({ path }) => path),
    ['by a.txt', null, 'course/week 1'],
  )
})
