import assert from 'node:assert/strict'
import { API } from '@stowage/testing/service/upload'
import {
  type BadRequest,
  type BadRequests,
  invalid,
  type Refusal,
  shorten,
} from '../../../support/refusals.ts'
import type { UploadFixture } from '../../../support/upload-fixture.ts'
import { withinASecond } from '../../../support/within-a-second.ts'
import { BAD_PATHS } from './bad-values.ts'

const PATH = `${API}/assets/signed`
const FILE = { name: 'a.bin', size: 1, mime: 'application/zip' }

function request(fixture: UploadFixture, body: unknown, headers?: Record<string, string>) {
  return fixture.service.call('POST', PATH, body, headers)
}

function rowsOf(fixture: UploadFixture, rows: [body: unknown, refusal: Refusal][]): BadRequest[] {
  return rows.map(([body, refusal]) => ({
    input: shorten(body),
    send: () => request(fixture, body),
    refusal,
  }))
}

const NOT_TEXT = [null, 5, true, [], {}, ['a.bin']]

const BAD_NAMES = [
  ...NOT_TEXT,
  '',
  ' ',
  '\u3000',
  'a'.repeat(256),
  'a'.repeat(10_000),
  '😀'.repeat(256),
  'a\0b',
  'a\nb',
  'a\r\nb',
  'a\u001bb',
  'a\u007fb',
  'a\u0085b',
  '\ud800',
  'a\udc00b',
  '../a',
  '..\\a',
  'a/b',
  'a\\b',
  '/',
  '/etc/passwd',
  'C:\\a.bin',
  '.',
  '..',
]

const BAD_SIZES = [null, '1', '', true, [], {}, [1], -1, -0.5, 1.5, 2 ** 53, 1e300]
const BAD_SIZE_TEXTS = ['9007199254740993', '1e400', '-1e400', '-9007199254740993', '1e-7']

const BAD_MEDIA_TYPES = [
  ...NOT_TEXT,
  ' ',
  'zip',
  'application/',
  '/zip',
  'a/b/c',
  'a b/c',
  'a/b;',
  'a/b; c',
  'a/b, c/d',
  'a/b\0',
  'a/b\n',
  'a/b\r\nX-Evil: 1',
  // White space that a header cannot contain, so that the file could never be downloaded.
  'a/b;\r\n c=d',
  'a/b\n;c=d',
  'a/b;\u00a0c=d',
  'a/b;\u2028c=d',
  'ä/b',
  '\ud800/b',
  `a/${'b'.repeat(254)}`,
]

const BAD_TYPES_OF_PATH = NOT_TEXT.filter((value) => value !== null)

const BAD_KEYS = ['', ' ', 'a b', 'a\tb', 'é', '\u0080', 'a'.repeat(256), 'a'.repeat(5000)]

export async function badUploadRequests(fixture: UploadFixture): Promise<BadRequests> {
  return {
    'an invalid filename': nameRows(fixture),
    'a size that is not a number of bytes': sizeRows(fixture),
    'an invalid media type': mediaTypeRows(fixture),
    'an invalid path': pathRows(fixture),
    'an invalid Idempotency-Key': keyRows(fixture),
    'an Idempotency-Key that is already used': await takenKeyRows(fixture),
  }
}

function nameRows(fixture: UploadFixture): BadRequest[] {
  const rows = ['name', 'filename'].flatMap((field) =>
    BAD_NAMES.map((value): [unknown, Refusal] => [{ size: 1, [field]: value }, invalid(field)]),
  )
  return rowsOf(fixture, [
    ...rows,
    [{ size: 1 }, invalid('name')],
    [{ size: 1, name: 'a.bin', filename: 'b.bin' }, invalid('filename')],
    [{ size: 1, name: 'a.bin', filename: null }, invalid('filename')],
  ])
}

function sizeRows(fixture: UploadFixture): BadRequest[] {
  return rowsOf(fixture, [
    [{ name: 'a.bin' }, invalid('size')],
    [{}, invalid('size')],
    ...BAD_SIZES.map((size): [unknown, Refusal] => [{ ...FILE, size }, invalid('size')]),
    // As text, because JSON.stringify would change these numbers.
    ...BAD_SIZE_TEXTS.map((size): [unknown, Refusal] => [
      `{"name":"a.bin","size":${size}}`,
      invalid('size'),
    ]),
    [
      { ...FILE, size: Number.MAX_SAFE_INTEGER },
      { status: 402, code: 'storage_exceeded' },
    ],
  ])
}

function mediaTypeRows(fixture: UploadFixture): BadRequest[] {
  const rows = ['mime', 'mime_type'].flatMap((field) =>
    BAD_MEDIA_TYPES.map((value): [unknown, Refusal] => [
      { name: 'a.bin', size: 1, [field]: value },
      invalid(field),
    ]),
  )
  return [...rowsOf(fixture, rows), slowMediaType(fixture)]
}

/** The request takes too long if the time to parse its media type doubles with each parameter. */
function slowMediaType(fixture: UploadFixture): BadRequest {
  const mime = `a/b${';c=""'.repeat(26)}\n`
  return {
    input: 'a media type that is slow to parse',
    send: () => withinASecond(() => request(fixture, { name: 'a.bin', size: 1, mime })),
    refusal: invalid('mime'),
  }
}

function pathRows(fixture: UploadFixture): BadRequest[] {
  const paths = [...BAD_TYPES_OF_PATH, ...BAD_PATHS, 'a/', '/', '\ud800']
  return rowsOf(
    fixture,
    paths.map((path): [unknown, Refusal] => [{ ...FILE, path }, invalid('path')]),
  )
}

function keyRows(fixture: UploadFixture): BadRequest[] {
  return BAD_KEYS.map((key) => ({
    input: `Idempotency-Key: ${shorten(key)}`,
    send: () => request(fixture, FILE, { 'Idempotency-Key': key }),
    refusal: invalid('idempotency-key'),
  }))
}

async function takenKeyRows(fixture: UploadFixture): Promise<BadRequest[]> {
  const taken = { 'Idempotency-Key': 'taken' }
  const ended = { 'Idempotency-Key': 'ended' }
  assert.equal((await request(fixture, FILE, taken)).status, 201)
  const { id, upload_id } = (await request(fixture, FILE, ended)).body
  await fixture.service.call('POST', `${API}/assets/${id}/cancel`, { upload_id })
  const others = [
    { ...FILE, name: 'b.bin' },
    { ...FILE, size: 2 },
    { ...FILE, mime: 'text/plain' },
  ]
  return [
    ...others.map(
      (body): BadRequest => ({
        input: `used with another body ${shorten(body)}`,
        send: () => request(fixture, body, taken),
        refusal: { status: 409, code: 'idempotency_key_reused' },
      }),
    ),
    {
      input: 'used for an upload that was cancelled',
      send: () => request(fixture, FILE, ended),
      refusal: { status: 409, code: 'upload_ended' },
    },
  ]
}
