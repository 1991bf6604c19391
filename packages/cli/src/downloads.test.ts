import assert from 'node:assert/strict'
import { basename, join } from 'node:path'
import { PassThrough } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { test } from 'node:test'
import { type Asset, type NodeClient, StowageError } from '@stowage/client/node'
import { safeName, streamAsset } from './downloads.ts'

const NEVER = new AbortController().signal

test('a download waits until the file is verified, however often the service refuses it', async () => {
  let refusals = 0
  const download: NodeClient['download'] = async () => {
    if (refusals === 20) return new Response('content')
    refusals += 1
    throw new StowageError('verifying', 'Retry later.', { status: 409, retryAfterMs: 1 })
  }
  const asset = { id: 'a', filename: 'a', bytes: 7, is_file: true, version: 1, checksum: null }
  const output = new PassThrough()
  const written = streamAsset({ download } as NodeClient, asset as Asset, { output, signal: NEVER })
  assert.equal(await written, 7)
  output.end()
  assert.equal(String(await buffer(output)), 'content')
  assert.equal(refusals, 20)
})

test('ordinary names in any script are unchanged', () => {
  for (const name of [
    'sample pack.zip',
    'サンプル.wav',
    'שלום.pdf',
    'a.tar.gz',
    "it's (1).mp4",
    '👍.png',
  ]) {
    assert.equal(safeName(name), name)
  }
})

test('no name leaves the folder, is hidden or looks like an option', () => {
  const names = [
    '../../.bashrc',
    '..',
    '.',
    '/etc/passwd',
    'C:\\x\\y',
    '.profile',
    '-rf',
    '~',
    'a\u0000b',
    '',
    ' ',
    '\u202egpj.exe',
  ]
  for (const name of names) {
    const safe = safeName(name)
    assert.equal(basename(join('/here', safe)), safe, name)
    assert.match(safe, /^[^.\-~ ]/)
    // biome-ignore lint/suspicious/noControlCharactersInRegex: none of them may occur
    assert.doesNotMatch(safe, /[\u0000-\u001f\u202e/\\]/)
  }
})

test('names that Windows reserves are changed', () => {
  assert.deepEqual(['con', 'NUL.txt', 'a.', 'console.log'].map(safeName), [
    '_con',
    '_NUL.txt',
    'a_',
    'console.log',
  ])
})

test('a name that is too long in bytes is shortened and keeps its extension', () => {
  const safe = safeName(`${'長'.repeat(250)}.tar.zip`)
  assert.ok(Buffer.byteLength(safe) <= 255)
  assert.match(safe, /長\.zip$/)
})
