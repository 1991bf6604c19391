import { API } from '@stowage/testing/service/upload'
import { sendExactly } from '../../../support/exact-request.ts'
import {
  type BadRequest,
  type BadRequests,
  bodyTooLarge,
  malformedJson,
  notAnObject,
  wrongMediaType,
} from '../../../support/refusals.ts'
import type { UploadFixture } from '../../../support/upload-fixture.ts'
import { type Body, bodyRows, type Call } from './body-rows.ts'

/** Endpoints for uploads that accept a body. */
function callsOf({ open }: UploadFixture): Call[] {
  const ending = JSON.stringify({ upload_id: open.upload_id })
  const asset = `${API}/assets/${open.id}`
  const small = 64 * 1024
  const large = 4 * 1024 * 1024
  const file = '{"name":"a.bin","size":1}'
  return [
    { method: 'POST', path: `${API}/assets/signed`, goodBody: file, limit: small },
    { method: 'POST', path: `${asset}/uploaded`, goodBody: ending, limit: large },
    { method: 'PUT', path: `${asset}/uploaded`, goodBody: ending, limit: large },
    { method: 'POST', path: `${asset}/cancel`, goodBody: ending, limit: small },
  ]
}

function rowsOf(fixture: UploadFixture, bodiesOf: (call: Call) => Body[]): BadRequest[] {
  return bodyRows(fixture.service.baseUrl, callsOf(fixture), bodiesOf)
}

const NOT_OBJECTS = ['null', '[]', '[{}]', '"text"', '5', 'true', '[[[[]]]]']

export function badBodies(fixture: UploadFixture): BadRequests {
  return {
    'a body that is not JSON': malformedRows(fixture),
    'a filename that is not UTF-8': [latin1Name(fixture)],
    'JSON that is not an object': rowsOf(fixture, () =>
      NOT_OBJECTS.map((text) => ({ text, refusal: notAnObject })),
    ),
    'a body that is not declared as JSON': mediaTypeRows(fixture),
    'a body that is too large': tooLargeRows(fixture),
  }
}

function malformedRows(fixture: UploadFixture): BadRequest[] {
  return rowsOf(fixture, ({ goodBody, path }) => [
    ...[
      // A completion needs no body.
      ...(path.endsWith('/uploaded') ? [] : ['']),
      ' ',
      '{',
      '\0',
      'undefined',
      'NaN',
      'name=a.bin&size=1',
      "{'name':'a.bin'}",
      goodBody.slice(0, -1),
      `${goodBody}}`,
      `${goodBody},`,
      goodBody.replace('}', ',}'),
      goodBody.replace('}', ',"x":01}'),
      goodBody.replace('}', ',"x":"\n"}'),
      goodBody.replace('}', ',"x":"\\ud8"}'),
      goodBody.replace('}', ',"__proto__":{}}'),
      '['.repeat(30_000),
    ].map((text) => ({ text, refusal: malformedJson })),
    {
      input: 'JSON in UTF-16',
      text: Buffer.from(goodBody, 'utf16le'),
      refusal: malformedJson,
    },
    {
      input: 'JSON with bytes that are not UTF-8',
      text: Buffer.from(goodBody.replace('}', ',"x":"\xff"}'), 'latin1'),
      refusal: malformedJson,
    },
  ])
}

/** If this name were decoded as UTF-8, the file would be stored under another name. */
function latin1Name({ service }: UploadFixture): BadRequest {
  const path = `${API}/assets/signed`
  const body = Buffer.from('{"name":"gr\xfcn.bin","size":1}', 'latin1')
  const headers = { 'content-type': 'application/json' }
  return {
    input: 'a name in Latin-1',
    send: () => sendExactly(service.baseUrl, { method: 'POST', path, headers, body }),
    refusal: malformedJson,
  }
}

function mediaTypeRows(fixture: UploadFixture): BadRequest[] {
  const types = [
    'text/plain',
    'text/plain; charset=utf-8',
    'text/json',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/octet-stream',
    'application/jsonx',
    'application/json/x',
    'json',
    ';',
  ]
  return rowsOf(fixture, ({ goodBody }) => [
    ...types.map((type) => ({
      input: `Content-Type: ${type}`,
      text: goodBody,
      headers: { 'content-type': type },
      refusal: wrongMediaType,
    })),
    {
      input: 'without Content-Type',
      text: goodBody,
      headers: {},
      refusal: wrongMediaType,
    },
  ])
}

function tooLargeRows(fixture: UploadFixture): BadRequest[] {
  return rowsOf(fixture, ({ goodBody, limit }) => {
    const text = goodBody + ' '.repeat(limit + 1 - goodBody.length)
    const type = { 'content-type': 'application/json' }
    const refusal = bodyTooLarge
    return [
      { input: 'one byte too long', text, refusal },
      {
        input: 'too long, in chunks',
        text,
        headers: { ...type, 'transfer-encoding': 'chunked' },
        refusal,
      },
      { input: '6 MB', text: goodBody + ' '.repeat(6_000_000), refusal },
    ]
  })
}
