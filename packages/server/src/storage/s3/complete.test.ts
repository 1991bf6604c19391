import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Send } from './bounded-send.ts'
import { completeInS3 } from './complete.ts'

const plan = { size: 1, chunkSize: 1, count: 1 }
const upload = { Bucket: 'files', Key: 'key', UploadId: 'one' }
const part = { number: 1, etag: 'a', size: 1, receivedAt: new Date(0) }

/** Answers one after the other; the last one again and again. */
function inOrder<Answer>(...answers: Answer[]): () => Promise<Answer> {
  let asked = 0
  return async () => {
    asked += 1
    return answers[Math.min(asked, answers.length) - 1] as Answer
  }
}

const failing = (async () => {
  throw Object.assign(new Error('try later'), { $metadata: { httpStatusCode: 500 } })
}) as unknown as Send

test('an upload is gone only after several looks, also behind calls that failed', async () => {
  const outcome = await completeInS3(
    { send: failing, upload, plan, parts: [] },
    {
      // It was completed by the second call though that failed, and the object is shown late.
      listParts: inOrder([part], [part], undefined),
      findObject: inOrder(...new Array(6).fill(undefined), { key: 'key', size: 1 }),
    },
  )
  assert.deepEqual(outcome, { outcome: 'completed' })
})

test('an upload whose object never appears is gone', async () => {
  const outcome = await completeInS3(
    { send: failing, upload, plan, parts: [] },
    { listParts: inOrder(undefined), findObject: inOrder(undefined) },
  )
  assert.deepEqual(outcome, { outcome: 'gone' })
})

/** Refuses so many completions because of a part, and then makes the object. */
function refusingParts(times: number) {
  let refused = 0
  const send = (async () => {
    refused += 1
    if (refused > times) return {}
    const facts = { name: 'InvalidPart', $metadata: { httpStatusCode: 400 } }
    throw Object.assign(new Error('part 1 is another one'), facts)
  }) as unknown as Send
  return completeInS3(
    { send, upload, plan, parts: [] },
    { listParts: inOrder([part]), findObject: inOrder(undefined) },
  )
}

test('a part that is replaced again and again does not make the refusal final', async () => {
  assert.deepEqual(await refusingParts(3), { outcome: 'completed' })
})

test('a store that refuses the parts that it lists refuses for good', async () => {
  const reason = 'InvalidPart: part 1 is another one'
  assert.deepEqual(await refusingParts(99), { outcome: 'rejected', reason })
})
