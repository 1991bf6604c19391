import { API } from '@stowage/testing/service/upload'
import { type ExactRequest, sendExactly } from '../../../support/exact-request.ts'
import {
  type BadRequest,
  type BadRequests,
  malformedRequest,
  notFound,
  type Refusal,
  shorten,
  wrongMethod,
} from '../../../support/refusals.ts'
import type { UploadFixture } from '../../../support/upload-fixture.ts'

/** Calls on one asset, with a body that is valid for the open upload. */
function callsOn({ open }: UploadFixture, id: string): ExactRequest[] {
  const body = JSON.stringify({ upload_id: open.upload_id })
  const headers = { 'content-type': 'application/json' }
  return [
    { method: 'GET', path: `${API}/assets/${id}` },
    { method: 'GET', path: `${API}/assets/${id}/upload` },
    { method: 'GET', path: `${API}/assets/${id}/download` },
    { method: 'GET', path: `${API}/assets/${id}/address` },
    { method: 'POST', path: `${API}/assets/${id}/uploaded`, headers, body },
    { method: 'PUT', path: `${API}/assets/${id}/uploaded`, headers, body },
    { method: 'POST', path: `${API}/assets/${id}/cancel`, headers, body },
  ]
}

function rowsOf(fixture: UploadFixture, requests: ExactRequest[], refusal: Refusal): BadRequest[] {
  return requests.map((request) => ({
    input: `${request.method} ${shorten(request.path)}`,
    send: () => sendExactly(fixture.service.baseUrl, request),
    refusal,
  }))
}

export function badUrls(fixture: UploadFixture): BadRequests {
  return {
    'an ID that does not exist in the account': unknownIdRows(fixture),
    'a path with broken percent-encoding': brokenRows(fixture),
    'a path that does not exist': unknownPathRows(fixture),
    'a method that the path does not support': methodRows(fixture),
  }
}

function unknownIdRows(fixture: UploadFixture): BadRequest[] {
  const { open, otherAccountsUpload } = fixture
  const ids = [
    'nonsense',
    '0',
    '-1',
    'null',
    'undefined',
    '__proto__',
    '00000000-0000-0000-0000-000000000000',
    '01981d2c-5a7e-7c31-9d0a-6f1b2c3d4e5f',
    otherAccountsUpload.id,
    otherAccountsUpload.uploadId,
    open.upload_id,
    open.id.slice(0, -1),
    `${open.id}0`,
    `${open.id}%20`,
    `${open.id}%00`,
    `${open.id};x=1`,
    `%7B${open.id}%7D`,
    open.id.replaceAll('-', ''),
    '..',
    '%2e%2e',
    '..%2f..%2fetc%2fpasswd',
    'a%2Fb',
    'a%5Cb',
    '%00',
    '%0d%0aX-Evil:%201',
    '%F0%9F%98%80',
    "'%20or%20'1'='1",
    'a'.repeat(100),
    'a'.repeat(101),
    'a'.repeat(5000),
  ]
  const requests = ids.flatMap((id) => callsOn(fixture, id))
  return rowsOf(fixture, requests, notFound)
}

function brokenRows(fixture: UploadFixture): BadRequest[] {
  const ids = ['%', '%zz', '%2', '%ff', '%c3%28', '%ed%a0%80', `${fixture.open.id}%`]
  const requests = ids.flatMap((id) => callsOn(fixture, id))
  return rowsOf(fixture, requests, malformedRequest)
}

function unknownPathRows(fixture: UploadFixture): BadRequest[] {
  const { id } = fixture.open
  const paths = [
    '/nothing',
    '/.env',
    '/api',
    '/api/v1',
    '/api/v2/assets',
    '/API/V1/assets',
    `${API}/Assets`,
    `${API}/nothing`,
    `/api/v1//assets`,
    `${API}/assets/${id}/nothing`,
    `${API}/assets/${id}//upload`,
    `${API}/assets/${id}/upload/1`,
    `${API}/assets/a/b`,
    '/docs/../../package.json',
    '/docs/%2e%2e%2fpackage.json',
    '/docs/package.json',
    '/openapi.json/x',
    `/${'a'.repeat(8000)}`,
  ]
  const requests = ['GET', 'POST'].flatMap((method) => paths.map((path) => ({ method, path })))
  return rowsOf(fixture, requests, notFound)
}

/** Each error lists the allowed methods. */
function methodRows(fixture: UploadFixture): BadRequest[] {
  const asset = `${API}/assets/${fixture.open.id}`
  const table: [path: string, allow: string[], methods: string[]][] = [
    [`${API}/assets`, ['GET'], ['POST', 'PUT', 'PATCH', 'DELETE', 'PROPFIND', 'QUERY']],
    [`${API}/assets/`, ['GET'], ['DELETE']],
    [`${API}/assets?limit=1`, ['GET'], ['DELETE']],
    [`${API}/assets/signed`, ['POST'], ['PATCH']],
    [asset, ['GET', 'PUT', 'DELETE'], ['POST', 'PATCH']],
    [`${asset}/`, ['GET', 'PUT', 'DELETE'], ['POST']],
    [`${asset}/uploaded`, ['POST', 'PUT'], ['GET', 'PATCH', 'DELETE']],
    [`${asset}/cancel`, ['POST'], ['GET', 'PUT', 'PATCH', 'DELETE']],
    [`${asset}/upload`, ['GET', 'PATCH'], ['POST', 'PUT', 'DELETE']],
    [`${asset}/download`, ['GET'], ['POST', 'PUT', 'PATCH', 'DELETE']],
    [`${asset}/address`, ['GET'], ['POST', 'PUT', 'PATCH', 'DELETE']],
    ['/healthz', ['GET'], ['POST', 'PUT', 'DELETE']],
    ['/readyz', ['GET'], ['POST']],
    ['/openapi.json', ['GET'], ['POST']],
    ['/docs', ['GET'], ['POST']],
  ]
  return table.flatMap(([path, allow, methods]) => {
    const requests = methods.map((method) => ({ method, path }))
    return rowsOf(fixture, requests, wrongMethod(allow))
  })
}
