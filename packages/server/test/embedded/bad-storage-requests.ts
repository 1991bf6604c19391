import assert from 'node:assert/strict'
import { API } from '@stowage/testing/service/upload'
import { type ExactRequest, sendExactly } from '../support/exact-request.ts'
import {
  type BadRequest,
  type BadRequests,
  notFound,
  type Refusal,
  wrongMethod,
} from '../support/refusals.ts'
import type { UploadFixture } from '../support/upload-fixture.ts'

const signatureInvalid: Refusal = { status: 403, code: 'signature_invalid' }
const urlExpired: Refusal = { status: 403, code: 'url_expired' }
const wrongLength: Refusal = { status: 400, code: 'wrong_length', message: /exactly 10 bytes/ }
const uploadNotFound: Refusal = { status: 404, code: 'upload_not_found' }
const objectNotFound: Refusal = { status: 404, code: 'object_not_found' }
const rangeNotSatisfiable: Refusal = { status: 416, code: 'range_not_satisfiable' }

export async function badStorageRequests(fixture: UploadFixture): Promise<BadRequests> {
  return {
    'a changed URL of a part': changedPartRows(fixture),
    'a changed URL of a file': await changedDownloadRows(fixture),
    'an expired URL': await expiredRows(fixture),
    'a part of another length': lengthRows(fixture),
    'an upload or a file that does not exist': await goneRows(fixture),
    'a path that does not exist': unknownPathRows(fixture),
    'a method that the path does not support': await methodRows(fixture),
    'a range outside the file': await rangeRows(fixture),
    'a large body, whose sender still gets the response': await largeRows(fixture),
  }
}

/** The URL without its origin, so that it can be sent exactly as it is. */
function pathOf(url: string | null | undefined): string {
  return (url ?? '').replace(/^https?:\/\/[^/]+/, '')
}

type Row = [input: string, request: Partial<ExactRequest> & { path: string }, refusal: Refusal]

function rowsOf({ service }: UploadFixture, rows: Row[]): BadRequest[] {
  return rows.map(([input, request, refusal]) => ({
    input,
    send: () => sendExactly(service.storageUrl, { method: 'PUT', ...request }),
    refusal,
  }))
}

async function downloadPathOf({ service, ready }: UploadFixture): Promise<string> {
  const response = await service.call('GET', `${API}/assets/${ready.id}/download`)
  return pathOf(response.headers.get('location'))
}

function changedPartRows(fixture: UploadFixture): BadRequest[] {
  const { open, empty, bytes } = fixture
  const path = pathOf(empty.urls[0]?.url)
  const [unsigned = '', signature = ''] = path.split('&signature=')
  const [, otherSignature] = pathOf(empty.urls[1]?.url).split('&signature=')
  const changed: [string, string][] = [
    ['another signature', `${path.slice(0, -4)}AAAA`],
    ['a signature cut short', path.slice(0, -1)],
    ['a signature made longer', `${path}A`],
    ['a signature of 5,000 characters', path + 'A'.repeat(5000)],
    ['an empty signature', `${unsigned}&signature=`],
    ['no signature', unsigned],
    ['the signature twice', `${path}&signature=${signature}`],
    ['the signature of another part', `${unsigned}&signature=${otherSignature}`],
    ['another length', path.replace('length=10', 'length=11')],
    ['another part', path.replace('/1?', '/2?')],
    ['part 0', path.replace('/1?', '/0?')],
    ['part 10001', path.replace('/1?', '/10001?')],
    ['a part number that is not a number', path.replace('/1?', '/x?')],
    ['another upload ID', path.replace(empty.upload_id, open.upload_id)],
    ['another asset ID', path.replace(empty.id, open.id)],
    ['a later expiry', path.replace(/expires=\d+/, 'expires=9999999999')],
    ['an additional parameter', `${path}&x=1`],
    ['an additional parameter at the start', path.replace('?', '?x=1&')],
    ['a parameter twice', path.replace('?', '?length=10&')],
    ['characters encoded differently', path.replace('length', '%6cength')],
    ['a fragment', `${path}#x`],
    ['dots in the path', path.replace('/uploads/', '/uploads/../uploads/')],
    ['only the folder', '/uploads/'],
    ['broken percent-encoding', '/uploads/%zz'],
    ['nothing but a signature', '/uploads/a/b/1?&signature=AAAA'],
  ]
  const body = bytes.subarray(0, 10)
  return rowsOf(
    fixture,
    changed.map(([input, to]): Row => [input, { path: to, body }, signatureInvalid]),
  )
}

async function changedDownloadRows(fixture: UploadFixture): Promise<BadRequest[]> {
  const path = await downloadPathOf(fixture)
  const [unsigned] = path.split('&signature=')
  const [, partSignature] = pathOf(fixture.open.urls[0]?.url).split('&signature=')
  const changed: [string, string][] = [
    ['another signature', `${path.slice(0, -4)}AAAA`],
    ['no signature', `${unsigned}`],
    ['the signature of a part', `${unsigned}&signature=${partSignature}`],
    ['another asset ID', path.replace(fixture.ready.id, fixture.open.id)],
    ['another name and size', path.replace(/object=[\w-]+/, 'object=e30')],
    ['a later expiry', path.replace(/expires=\d+/, 'expires=9999999999')],
    ['only the key', `/objects/${fixture.ready.id}`],
    ['dots in the path', '/objects/../secret'],
  ]
  return rowsOf(
    fixture,
    changed.map(([input, to]): Row => [input, { method: 'GET', path: to }, signatureInvalid]),
  )
}

const FIRST_PART = { number: 1, start: 0, end: 10 }

function objectOf(key: string) {
  const plan = { size: 25, chunkSize: 10, count: 3 }
  return { key, plan, filename: 'ready.bin', mime: 'text/plain' }
}

async function expiredRows(fixture: UploadFixture): Promise<BadRequest[]> {
  const { service, empty, ready, bytes } = fixture
  const { storage } = service.context
  const upload = { id: empty.upload_id, key: empty.id }
  const past = new Date(Date.now() - 1000)
  const {
    urls: [part],
  } = await storage.signParts(upload, [FIRST_PART], past)
  const {
    urls: [longAgo],
  } = await storage.signParts(upload, [FIRST_PART], new Date(0))
  const { url: download } = await storage.signDownload(objectOf(ready.id), past)
  const body = bytes.subarray(0, 10)
  return rowsOf(fixture, [
    ['a part, a second too late', { path: pathOf(part), body }, urlExpired],
    ['a part, years too late', { path: pathOf(longAgo), body }, urlExpired],
    ['a download', { method: 'GET', path: pathOf(download) }, urlExpired],
  ])
}

function lengthRows(fixture: UploadFixture): BadRequest[] {
  const { empty, bytes } = fixture
  const path = pathOf(empty.urls[0]?.url)
  const body = bytes.subarray(0, 10)
  const chunked = { 'transfer-encoding': 'chunked' }
  const expecting = { expect: '100-continue' }
  return rowsOf(fixture, [
    ['one byte less', { path, body: bytes.subarray(0, 9) }, wrongLength],
    ['one byte more', { path, body: bytes.subarray(0, 11) }, wrongLength],
    ['the whole file', { path, body: bytes }, wrongLength],
    ['an empty body', { path, body: Buffer.alloc(0) }, wrongLength],
    ['no body', { path }, wrongLength],
    ['the right length in chunks', { path, body, headers: chunked }, wrongLength],
    ['another length in chunks', { path, body: bytes, headers: chunked }, wrongLength],
    [
      'another length with Expect: 100-continue',
      { path, body: bytes, headers: expecting },
      wrongLength,
    ],
  ])
}

async function goneRows(fixture: UploadFixture): Promise<BadRequest[]> {
  const { service, cancelled, ready, bytes } = fixture
  const { storage, newId } = service.context
  const later = new Date(Date.now() + 60_000)
  const { upload_id } = (await service.call('GET', `${API}/assets/${ready.id}/upload`)).body
  const {
    urls: [completed],
  } = await storage.signParts({ id: upload_id, key: ready.id }, [FIRST_PART], later)
  const {
    urls: [none],
  } = await storage.signParts({ id: newId(), key: newId() }, [FIRST_PART], later)
  const { url: download } = await storage.signDownload(objectOf(newId()), later)
  const body = bytes.subarray(0, 10)
  return rowsOf(fixture, [
    ['a cancelled upload', { path: pathOf(cancelled.urls[0]?.url), body }, uploadNotFound],
    ['a completed upload', { path: pathOf(completed), body }, uploadNotFound],
    ['an upload that never existed', { path: pathOf(none), body }, uploadNotFound],
    ['a file that never existed', { method: 'GET', path: pathOf(download) }, objectNotFound],
  ])
}

function unknownPathRows(fixture: UploadFixture): BadRequest[] {
  const paths = ['/', '/nothing', '/secret', '/../secret', '/UPLOADS/a', '/uploads', '//uploads/a']
  return rowsOf(
    fixture,
    ['GET', 'PUT', 'DELETE'].flatMap((method) =>
      paths.map((path): Row => [`${method} ${path}`, { method, path }, notFound]),
    ),
  )
}

async function methodRows(fixture: UploadFixture): Promise<BadRequest[]> {
  const part = pathOf(fixture.empty.urls[0]?.url)
  const file = await downloadPathOf(fixture)
  const ofPart = ['GET', 'POST', 'PATCH', 'DELETE'].map(
    (method): Row => [`${method} of a part`, { method, path: part }, wrongMethod(['PUT'])],
  )
  const ofFile = ['PUT', 'POST', 'PATCH', 'DELETE'].map(
    (method): Row => [`${method} of a file`, { method, path: file }, wrongMethod(['GET'])],
  )
  return rowsOf(fixture, [...ofPart, ...ofFile])
}

/** The Content-Range header of the refusal has the size of the file. */
async function rangeRows(fixture: UploadFixture): Promise<BadRequest[]> {
  const path = await downloadPathOf(fixture)
  const ranges = ['25-', '25-30', '100-200', '-0', '9007199254740993-', '99999999999999999999-']
  return ranges.map((range) => ({
    input: `Range: bytes=${range}`,
    async send() {
      const headers = { range: `bytes=${range}` }
      const request = { method: 'GET', path, headers }
      const response = await sendExactly(fixture.service.storageUrl, request)
      assert.equal(response.headers.get('content-range'), 'bytes */25')
      return response
    },
    refusal: rangeNotSatisfiable,
  }))
}

/** Each request is sent four times, because a defect that cuts off the response does not occur every time. */
async function largeRows(fixture: UploadFixture): Promise<BadRequest[]> {
  const { empty, cancelled, service } = fixture
  const body = Buffer.alloc(8_000_000)
  const part = pathOf(empty.urls[0]?.url)
  const later = new Date(Date.now() + 60_000)
  const upload = { id: cancelled.upload_id, key: cancelled.id }
  const range = { ...FIRST_PART, end: body.length }
  const {
    urls: [gone],
  } = await service.context.storage.signParts(upload, [range], later)
  return [1, 2, 3, 4].flatMap((time) =>
    rowsOf(fixture, [
      [`too long (${time})`, { path: part, body }, wrongLength],
      [`another signature (${time})`, { path: `${part}A`, body }, signatureInvalid],
      [`a cancelled upload (${time})`, { path: pathOf(gone), body }, uploadNotFound],
      [`the wrong method (${time})`, { method: 'POST', path: part, body }, wrongMethod(['PUT'])],
    ]),
  )
}
