import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Send } from './s3-client.ts'
import { completeInS3 } from './s3-storage.ts'

const plan = { size: 1, chunkSize: 1, count: 1 }
const upload = { Bucket: 'files', Key: 'key', UploadId: 'one' }
const part = { number: 1, etag: 'a', size: 1, receivedAt: new Date(0) }

/** Returns the results one after the other, then the last one repeatedly. */
function inOrder<Result>(...results: Result[]): () => Promise<Result> {
  let calls = 0
  return async () => {
    calls += 1
    return results[Math.min(calls, results.length) - 1] as Result
  }
}

const failing = (async () => {
  throw Object.assign(new Error('try later'), { $metadata: { httpStatusCode: 500 } })
}) as unknown as Send

test('an upload whose completions failed counts as lost only if several checks do not find its object', async () => {
  const outcome = await completeInS3(
    { send: failing, upload, plan, parts: [] },
    {
      // The second call completed the upload although it failed, and the object appears late.
      listParts: inOrder([part], [part], undefined),
      findObject: inOrder(...new Array(6).fill(undefined), { key: 'key', size: 1 }),
    },
  )
  assert.deepEqual(outcome, { outcome: 'completed' })
})

test('an upload whose object never appears is lost', async () => {
  const outcome = await completeInS3(
    { send: failing, upload, plan, parts: [] },
    { listParts: inOrder(undefined), findObject: inOrder(undefined) },
  )
  assert.deepEqual(outcome, { outcome: 'gone' })
})

/** Completes an upload in storage that refuses this many completions because of a part, then succeeds. */
function refusingParts(times: number) {
  let refused = 0
  const send = (async () => {
    refused += 1
    if (refused > times) return {}
    const facts = { name: 'InvalidPart', $metadata: { httpStatusCode: 400 } }
    throw Object.assign(new Error('part 1 has changed'), facts)
  }) as unknown as Send
  return completeInS3(
    { send, upload, plan, parts: [] },
    { listParts: inOrder([part]), findObject: inOrder(undefined) },
  )
}

test('a completion succeeds even if a part is replaced repeatedly', async () => {
  assert.deepEqual(await refusingParts(3), { outcome: 'completed' })
})

test('storage that keeps refusing the parts that it lists makes the completion fail permanently', async () => {
  const reason = 'InvalidPart: part 1 has changed'
  assert.deepEqual(await refusingParts(99), { outcome: 'rejected', reason })
})
