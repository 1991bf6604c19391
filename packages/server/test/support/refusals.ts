import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import type { ErrorCode } from '@stowage/protocol'
import type { JsonResponse } from '@stowage/testing/service/service'
import {
  anUploadFixture,
  finishOpenUpload,
  readState,
  type UploadFixture,
} from './upload-fixture.ts'

/** The error response that a request must get. */
export interface Refusal {
  status: number
  code: ErrorCode
  /** On 422: the field that `errors` names. */
  field?: string
  /** A pattern that the message must match. */
  message?: RegExp
  /** On 405: the allowed methods, except HEAD and OPTIONS. */
  allow?: string[]
}

export interface BadRequest {
  /** Describes the input, for the name of the subtest. */
  input: string
  send: () => Promise<JsonResponse>
  refusal: Refusal
}

export function invalid(field: string, message?: RegExp): Refusal {
  return { status: 422, code: 'invalid', field, ...(message && { message }) }
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
  message: /application\/json/,
}

/** The fields that an error code adds to the body. */
const DETAILS: Partial<Record<ErrorCode, string[]>> = {
  invalid: ['errors'],
  storage_exceeded: ['available', 'limit', 'needed', 'reserved', 'stored'],
}

function assertRefused(response: JsonResponse, refusal: Refusal): void {
  const { status, headers, body } = response
  const got = `${status} ${JSON.stringify(body)}`
  assert.deepEqual([status, body.code], [refusal.status, refusal.code], got)
  assert.match(headers.get('content-type') ?? '', /^application\/json/, got)
  const members = ['code', 'message', ...(DETAILS[refusal.code] ?? [])]
  assert.deepEqual(Object.keys(body).sort(), members.sort(), got)
  assert.match(body.message, /^\S.{10,}\.$/su, got)
  assert.doesNotMatch(body.message, /FST_|undefined|\[object|\n {4}at /, got)
  if (refusal.message) assert.match(body.message, refusal.message, got)
  if (refusal.field !== undefined) {
    assert.ok(Object.hasOwn(body.errors, refusal.field), got)
    assert.match(String(body.errors[refusal.field]?.[0]), /\S{2,}/, got)
  }
  if (refusal.allow) {
    const allow = headers.get('allow')?.split(/\s*,\s*/) ?? []
    const others = allow.filter((method) => method !== 'HEAD' && method !== 'OPTIONS')
    assert.deepEqual(others.sort(), refusal.allow.toSorted(), `Allow: ${allow}`)
  }
}

/** The rows of a table, by the name of their group. */
export type BadRequests = Record<string, BadRequest[]>

/** Creates the fixture that the rows are sent to, and reads its state. */
interface Setup<Fixture extends UploadFixture> {
  setUp(t: TestContext): Promise<Fixture>
  /** Everything that no row may change. */
  readState(fixture: Fixture): Promise<unknown>
}

type Table<Fixture> = (fixture: Fixture) => BadRequests | Promise<BadRequests>

/**
 * A test of a table, with a subtest for each row, which must be refused. The state is compared after each
 * group and not after each row, because reading it takes longer than a row. When it has changed, the group
 * runs again on a new fixture to find the row. In the end the open upload is completed.
 */
export function refusesOn<Fixture extends UploadFixture>(setup: Setup<Fixture>) {
  return (tableOf: Table<Fixture>) => async (t: TestContext) => {
    const fixture = await setup.setUp(t)
    for (const [name, rows] of Object.entries(await tableOf(fixture))) {
      await t.test(name, async (group) => {
        const before = await setup.readState(fixture)
        for (const { input, send, refusal } of rows) {
          await group.test(`${input}: ${refusal.status} ${refusal.code}`, async () =>
            assertRefused(await send(), refusal),
          )
        }
        const after = await setup.readState(fixture)
        if (isDeepStrictEqual(after, before)) return
        const another = await setup.setUp(group)
        await assertHarmless((await tableOf(another))[name] ?? [], () => setup.readState(another))
        assert.deepEqual(after, before, 'these rows changed the state, but not when they ran again')
      })
    }
    await t.test('the open upload can still be completed', () => finishOpenUpload(fixture))
  }
}

/** Fails at the first row that changes the state. */
async function assertHarmless(
  rows: BadRequest[],
  readState: () => Promise<unknown>,
): Promise<void> {
  const before = await readState()
  for (const { input, send } of rows) {
    await send()
    assert.deepEqual(await readState(), before, `this row changed the state: ${input}`)
  }
}

export const refuses = refusesOn({ setUp: anUploadFixture, readState })

/** Makes the name of a row from a value of any length. */
export function shorten(value: unknown): string {
  const text = (typeof value === 'string' ? value : JSON.stringify(value)) ?? 'left out'
  const visible = JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"')
  return visible.length > 60 ? `${visible.slice(0, 50)}… (${text.length} characters)` : visible
}
