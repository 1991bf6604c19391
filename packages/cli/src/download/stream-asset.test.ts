import assert from 'node:assert/strict'
import { PassThrough } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { test } from 'node:test'
import { type Asset, type NodeClient, StowageError } from '@stowage/client/node'
import { streamAsset } from './stream-asset.ts'

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
