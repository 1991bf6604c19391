import { API } from '@stowage/testing/service/upload'
import {
  type BadRequest,
  type BadRequests,
  invalid,
  notFound,
  shorten,
} from '../../../support/refusals.ts'
import type { UploadFixture } from '../../../support/upload-fixture.ts'

const BAD_SIZES = [undefined, null, '1', '', true, [], {}, [1], -1, -0.5, 1.5, 2 ** 53, 1e300]
const BAD_SIZE_TEXTS = ['9007199254740993', '1e400', '-1e400', '-9007199254740993', '1e-7']

export async function badSizes(fixture: UploadFixture): Promise<BadRequests> {
  return {
    'a size that is not a number of bytes': valueRows(fixture),
    'a size that the upload cannot have': limitRows(fixture),
    'a new size without an open upload in the account': stateRows(fixture),
  }
}

function resize(fixture: UploadFixture, id: string, body: unknown) {
  return fixture.service.call('PATCH', `${API}/assets/${id}/upload`, body)
}

function valueRows(fixture: UploadFixture): BadRequest[] {
  const bodies = [
    ...BAD_SIZES.map((size) => ({ size })),
    // As text, because JSON.stringify would change these numbers.
    ...BAD_SIZE_TEXTS.map((size) => `{"size":${size}}`),
  ]
  return bodies.map((body) => ({
    input: shorten(body),
    send: () => resize(fixture, fixture.open.id, body),
    refusal: invalid('size'),
  }))
}

function limitRows(fixture: UploadFixture): BadRequest[] {
  const row = (input: string, size: number, refusal: BadRequest['refusal']): BadRequest => ({
    input,
    send: () => resize(fixture, fixture.open.id, { size }),
    refusal,
  })
  return [
    row('more parts than the storage allows', 10_000 * 10 + 1, invalid('size', /at most 100000\b/)),
    row('far too many parts', Number.MAX_SAFE_INTEGER, invalid('size')),
    row('less than the received bytes', 20, invalid('size', /part 3 begins at 20\b/)),
    row('zero after bytes were received', 0, invalid('size', /part 2 begins at 10\b/)),
  ]
}

function stateRows(fixture: UploadFixture): BadRequest[] {
  const { cancelled, ready, otherAccountsUpload } = fixture
  const row = (input: string, id: string, refusal: BadRequest['refusal']): BadRequest => ({
    input,
    send: () => resize(fixture, id, { size: 5 }),
    refusal,
  })
  return [
    row('of a cancelled upload', cancelled.id, notFound),
    row('of another account', otherAccountsUpload.id, notFound),
    row('of an asset that does not exist', '00000000-0000-7000-8000-000000000000', notFound),
    row('of a ready asset', ready.id, { status: 409, code: 'already_uploaded' }),
  ]
}
