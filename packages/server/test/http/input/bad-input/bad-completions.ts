import { API } from '@stowage/testing/service/upload'
import {
  type BadRequest,
  type BadRequests,
  invalid,
  notFound,
  type Refusal,
  shorten,
} from '../../../support/refusals.ts'
import type { UploadFixture } from '../../../support/upload-fixture.ts'

/** The calls that end an upload: the method and the last segment of the path. */
const CALLS = [
  ['POST', 'uploaded'],
  ['PUT', 'uploaded'],
  ['POST', 'cancel'],
] as const

const MALFORMED_IDS = [null, 5, true, [], {}, '', ' ', 'nonsense', '0', '\0', '\ud800', '../a']

/** Variations of the correct upload_id. */
const NEARLY: ((id: string) => string)[] = [
  (id) => `{${id}}`,
  (id) => `urn:uuid:${id}`,
  (id) => id.replaceAll('-', ''),
  (id) => id.slice(0, -1),
  (id) => `${id}0`,
  (id) => ` ${id}`,
  (id) => `${id}\n`,
  (id) => `"${id}"`,
  (id) => `${id}${'0'.repeat(1000)}`,
]

export async function badCompletions(fixture: UploadFixture): Promise<BadRequests> {
  return {
    'an upload_id that does not belong to this asset': uploadIdRows(fixture),
    'parts of the wrong shape': shapeRows(fixture),
    'parts that the storage does not have': contentRows(fixture),
    'an upload in another state': await stateRows(fixture),
  }
}

function uploadIdRows(fixture: UploadFixture): BadRequest[] {
  const { open, empty, cancelled, otherAccountsUpload } = fixture
  const wrong = [
    ...MALFORMED_IDS,
    ...NEARLY.map((change) => change(open.upload_id)),
    empty.upload_id,
    cancelled.upload_id,
    otherAccountsUpload.uploadId,
    open.id,
    '00000000-0000-0000-0000-000000000000',
  ]
  return CALLS.flatMap(([method, call]) =>
    // Only a cancellation requires an upload_id.
    [...(call === 'cancel' ? [undefined] : []), ...wrong].map((upload_id) => ({
      input: `${method} ${call} upload_id ${shorten(upload_id)}`,
      send: () => fixture.service.call(method, `${API}/assets/${open.id}/${call}`, { upload_id }),
      refusal: invalid('upload_id'),
    })),
  )
}

function partRows(
  fixture: UploadFixture,
  rows: [parts: unknown, refusal: Refusal][],
): BadRequest[] {
  const { service, open } = fixture
  const { upload_id } = open
  return ['POST', 'PUT'].flatMap((method) =>
    rows.map(([parts, refusal]) => ({
      input: `${method} parts ${shorten(parts)}`,
      send: () => service.call(method, `${API}/assets/${open.id}/uploaded`, { upload_id, parts }),
      refusal,
    })),
  )
}

function shapeRows(fixture: UploadFixture): BadRequest[] {
  const [part] = fixture.parts
  const ETag = part?.ETag
  return partRows(fixture, [
    ...[null, 5, 'all', true, {}].map((parts): [unknown, Refusal] => [parts, invalid('parts')]),
    [Array.from({ length: 10_001 }, () => part), invalid('parts')],
    ...[null, 1, 'a', true, []].map((one): [unknown, Refusal] => [[one], invalid('parts.0')]),
    [[part, null], invalid('parts.1')],
    [[{}], invalid('parts.0.ETag')],
    [[{ PartNumber: 1 }], invalid('parts.0.ETag')],
    ...[null, 5, true, [], {}, '', 'a'.repeat(256)].map((value): [unknown, Refusal] => [
      [{ PartNumber: 1, ETag: value }],
      invalid('parts.0.ETag'),
    ]),
    [[{ ETag }], invalid('parts.0.PartNumber')],
    ...[null, '1', true, [], {}, 0, -1, 1.5, 10_001, 2 ** 53, 1e300].map(
      (PartNumber): [unknown, Refusal] => [[{ ETag, PartNumber }], invalid('parts.0.PartNumber')],
    ),
  ])
}

/** Each error names the invalid part. */
function contentRows(fixture: UploadFixture): BadRequest[] {
  const [first, second, third] = fixture.parts
  const ETag = first?.ETag ?? ''
  const wrongEtag = [
    'nonsense',
    '""',
    '"',
    'a\0b',
    '\ud800',
    '../00001',
    ETag.slice(1),
    `${ETag} `,
    `"${ETag}`,
    `""${ETag}""`,
    second?.ETag,
  ]
  return partRows(fixture, [
    ...wrongEtag.map((value): [unknown, Refusal] => [
      [{ PartNumber: 1, ETag: value }, second, third],
      invalid('parts', /parts 1\b/),
    ]),
    [[first, { PartNumber: 3, ETag }], invalid('parts', /parts 3\b/)],
    [[first, second, third, second], invalid('parts', /parts 2\b/)],
    [[first, first], invalid('parts', /parts 1\b/)],
    [[first, { PartNumber: 1, ETag: 'nonsense' }], invalid('parts', /parts 1\b/)],
    [[...fixture.parts, { PartNumber: 4, ETag }], invalid('parts', /parts 4\b/)],
    [[{ PartNumber: 10_000, ETag }], invalid('parts', /parts 10000\b/)],
    [
      Array.from({ length: 10_000 }, (_, index) => ({ PartNumber: index + 1, ETag })),
      invalid('parts', /parts 2, 3\b/),
    ],
  ])
}

async function stateRows(fixture: UploadFixture): Promise<BadRequest[]> {
  const { service, empty, cancelled, ready, parts } = fixture
  const call = (method: string, id: string, name: string, body: unknown) => () =>
    service.call(method, `${API}/assets/${id}/${name}`, body)
  const uploadOfReady = await service.call('GET', `${API}/assets/${ready.id}/upload`)
  const { upload_id } = uploadOfReady.body
  return [
    {
      input: 'uploaded, for an upload without parts',
      send: call('POST', empty.id, 'uploaded', { upload_id: empty.upload_id }),
      refusal: invalid('parts', /parts 1, 2, 3\b/),
    },
    {
      input: 'uploaded, with the parts of another upload',
      send: call('POST', empty.id, 'uploaded', { upload_id: empty.upload_id, parts }),
      refusal: invalid('parts', /parts 1, 2, 3\b/),
    },
    {
      input: 'uploaded, for a cancelled upload',
      send: call('POST', cancelled.id, 'uploaded', { upload_id: cancelled.upload_id }),
      refusal: notFound,
    },
    {
      input: 'cancel, for a ready asset',
      send: call('POST', ready.id, 'cancel', { upload_id }),
      refusal: { status: 409, code: 'already_uploaded' },
    },
    {
      input: 'cancel, for a ready asset with the upload_id of another one',
      send: call('POST', ready.id, 'cancel', { upload_id: empty.upload_id }),
      refusal: invalid('upload_id'),
    },
    {
      input: 'download, for an open upload',
      send: call('GET', fixture.open.id, 'download', undefined),
      refusal: { status: 409, code: 'not_ready' },
    },
    ...['', '/upload', '/download'].map((suffix) => ({
      input: `GET :id${suffix}, for a cancelled upload`,
      send: () => service.call('GET', `${API}/assets/${cancelled.id}${suffix}`),
      refusal: notFound,
    })),
  ]
}
