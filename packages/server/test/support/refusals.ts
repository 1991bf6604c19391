import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import type { ErrorCode } from '@stowage/protocol'
import type { Answer } from '@stowage/testing/service/service'
import { aScene, finishOpenUpload, readState, type Scene } from './upload-fixture.ts'

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

/** Where a table is sent to. */
interface Stage<AnyScene extends Scene> {
  setUp(t: TestContext): Promise<AnyScene>
  /** Whatever must be the same after every row. */
  readState(scene: AnyScene): Promise<unknown>
}

type Table<AnyScene> = (scene: AnyScene) => BadRequests | Promise<BadRequests>

/**
 * A test of a table, with a subtest for each row, which must be refused. After each group the state
 * is as it was before: reading it takes longer than a row does. Where it is not, the group is sent
 * once more elsewhere, to name the row. In the end the open upload is finished.
 */
export function refusesOn<AnyScene extends Scene>(stage: Stage<AnyScene>) {
  return (tableOf: Table<AnyScene>) => async (t: TestContext) => {
    const scene = await stage.setUp(t)
    for (const [name, rows] of Object.entries(await tableOf(scene))) {
      await t.test(name, async (group) => {
        const before = await stage.readState(scene)
        for (const { input, send, refusal } of rows) {
          await group.test(`${input}: ${refusal.status} ${refusal.code}`, async () =>
            assertRefused(await send(), refusal),
          )
        }
        const after = await stage.readState(scene)
        if (isDeepStrictEqual(after, before)) return
        const another = await stage.setUp(group)
        await assertHarmless((await tableOf(another))[name] ?? [], () => stage.readState(another))
        assert.deepEqual(after, before, 'these rows changed something, but did not do so again')
      })
    }
    await t.test('the open upload goes on as if nothing was said', () => finishOpenUpload(scene))
  }
}

/** Fails at the first row after which the state is not as it was. */
async function assertHarmless(
  rows: BadRequest[],
  readState: () => Promise<unknown>,
): Promise<void> {
  const before = await readState()
  for (const { input, send } of rows) {
    await send()
    assert.deepEqual(await readState(), before, `this changed something: ${input}`)
  }
}

export const refuses = refusesOn({ setUp: aScene, readState })

/** A value as a row's name, however long it is. */
export function shorten(value: unknown): string {
  const text = (typeof value === 'string' ? value : JSON.stringify(value)) ?? 'left out'
  const visible = JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"')
  return visible.length > 60 ? `${visible.slice(0, 50)}… (${text.length} characters)` : visible
}
