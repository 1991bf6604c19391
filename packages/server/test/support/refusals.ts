import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import type { ErrorCode } from '@stowage/protocol'
import { aScene, finishOpenUpload, readRecords, readStorage, type Scene } from './scene.ts'
import type { Answer } from './service.ts'

/** How the service says no. */
export interface Refusal {
  status: number
  code: ErrorCode
  /** On 422: the field that `errors` names. */
  field?: string
  /** What the message must tell. */
  says?: RegExp
  /** On 405: the methods that there are, besides HEAD and OPTIONS. */
  allow?: string[]
}

export interface BadRequest {
  /** The input, as the row's name. */
  input: string
  send: () => Promise<Answer>
  refusal: Refusal
}

export function invalid(field: string, says?: RegExp): Refusal {
  return { status: 422, code: 'invalid', field, ...(says && { says }) }
}

export function wrongMethod(allow: string[]): Refusal {
  return { status: 405, code: 'method_not_allowed', allow }
}

export const notAnObject = invalid('body', /JSON|object/)
export const malformedJson: Refusal = { status: 400, code: 'malformed_json' }
export const malformedRequest: Refusal = { status: 400, code: 'malformed_request' }
export const forbidden: Refusal = { status: 403, code: 'forbidden' }
export const notFound: Refusal = { status: 404, code: 'not_found' }
export const bodyTooLarge: Refusal = { status: 413, code: 'body_too_large' }
export const wrongMediaType: Refusal = {
  status: 415,
  code: 'unsupported_media_type',
  says: /application\/json/,
}

/** The members that a code adds to the body. */
const DETAILS: Partial<Record<ErrorCode, string[]>> = {
  invalid: ['errors'],
  storage_exceeded: ['available', 'limit', 'needed', 'reserved', 'stored'],
}

function assertRefused(answer: Answer, refusal: Refusal): void {
  const { status, headers, body } = answer
  const got = `${status} ${JSON.stringify(body)}`
  assert.deepEqual([status, body.code], [refusal.status, refusal.code], got)
  assert.match(headers.get('content-type') ?? '', /^application\/json/, got)
  const members = ['code', 'message', ...(DETAILS[refusal.code] ?? [])]
  assert.deepEqual(Object.keys(body).sort(), members.sort(), got)
  assert.match(body.message, /^\S.{10,}\.$/su, got)
  assert.doesNotMatch(body.message, /FST_|undefined|\[object|\n {4}at /, got)
  if (refusal.says) assert.match(body.message, refusal.says, got)
  if (refusal.field !== undefined) {
    assert.ok(Object.hasOwn(body.errors, refusal.field), got)
    assert.match(String(body.errors[refusal.field]?.[0]), /\S{2,}/, got)
  }
  if (refusal.allow) {
    const allow = headers.get('allow')?.split(/\s*,\s*/) ?? []
    const special = allow.filter((method) => method !== 'HEAD' && method !== 'OPTIONS')
    assert.deepEqual(special.sort(), refusal.allow.toSorted(), `Allow: ${allow}`)
  }
}

/** Groups of rows, by what they have in common. */
export type BadRequests = Record<string, BadRequest[]>

/** Whatever must be the same after every row. */
type ReadState<AnyScene> = (scene: AnyScene) => Promise<unknown>

/**
 * One subtest per row, after which the state is as it was before. The storage is looked at after
 * each group, as some take their time to tell. In the end the open upload is finished.
 */
export async function checkRefusals<AnyScene extends Scene>(
  t: TestContext,
  scene: AnyScene,
  { groups, readState }: { groups: BadRequests; readState: ReadState<AnyScene> },
): Promise<void> {
  for (const [name, rows] of Object.entries(groups)) {
    await t.test(name, async (group) => {
      const stored = await readStorage(scene)
      let before = await readState(scene)
      for (const { input, send, refusal } of rows) {
        await group.test(`${input}: ${refusal.status} ${refusal.code}`, async () => {
          const answer = await send()
          const expected = before
          // Also when the row fails, so that the next one does not fail with it.
          before = await readState(scene)
          assertRefused(answer, refusal)
          assert.deepEqual(before, expected)
        })
      }
      assert.deepEqual(await readStorage(scene), stored, 'the storage is not as it was')
    })
  }
  await t.test('the open upload goes on as if nothing was said', () => finishOpenUpload(scene))
}

/** A value as a row's name, however long it is. */
export function shorten(value: unknown): string {
  const text = (typeof value === 'string' ? value : JSON.stringify(value)) ?? 'left out'
  const visible = JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"')
  return visible.length > 60 ? `${visible.slice(0, 50)}… (${text.length} characters)` : visible
}

/** A test of a table: each of its rows must be refused and change nothing. */
export function refuses(
  tableOf: (scene: Scene) => BadRequests | Promise<BadRequests>,
  readState: ReadState<Scene> = readRecords,
) {
  return async (t: TestContext) => {
    const scene = await aScene(t)
    await checkRefusals(t, scene, { groups: await tableOf(scene), readState })
  }
}
