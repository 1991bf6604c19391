import { API } from '@stowage/testing/service/upload'
import { sendExactly, sendText } from '../../../support/exact-request.ts'
import {
  type BadRequest,
  type BadRequests,
  forbidden,
  malformedRequest,
} from '../../../support/refusals.ts'
import type { UploadFixture } from '../../../support/upload-fixture.ts'

const FILE = '{"name":"a.bin","size":1}'

/** The service closes the connection after its response to one of these, although the client would keep it. */
const HOSTS = [
  'Host: 127.0.0.1\r\nHost: 127.0.0.1',
  'Host: 127.0.0.1\r\nHOST: evil.example',
  'Host: 127.0.0.1\r\nX-A: b\r\nhost:',
  'X-A: b',
]
const CODINGS = [
  'gzip, chunked',
  'gzip\r\nTransfer-Encoding: chunked',
  'identity, chunked',
  ', chunked',
  'gzip',
  'identity',
  'chunked, chunked',
  'chunked\r\nTransfer-Encoding: chunked',
  'chunked;q=1',
  'xchunked',
]

/** Text that is not HTTP, or HTTP that two parsers could interpret differently. */
function malformed(path: string, method: string): [input: string, text: string][] {
  const start = `${method} ${path} HTTP/1.1\r\n`
  const headers = 'Host: 127.0.0.1\r\nConnection: close\r\nContent-Type: application/json\r\n'
  const length = `Content-Length: ${FILE.length}\r\n`
  return [
    ['no request line', 'nonsense\r\n\r\n'],
    ['TLS to a port without it', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n'],
    ['an unknown method', `BREW ${path} HTTP/1.1\r\n${headers}\r\n`],
    ['an unknown version', `${method} ${path} HTTP/9.9\r\n${headers}\r\n`],
    ['a space in the path', `${method} ${path} x HTTP/1.1\r\n${headers}\r\n`],
    ['a NUL in the path', `${method} ${path}\0 HTTP/1.1\r\n${headers}\r\n`],
    ['bytes above ASCII in the path', `${method} ${path}\xff HTTP/1.1\r\n${headers}\r\n`],
    ['no Host', `${start}Connection: close\r\n\r\n`],
    ['a control character in a header', `${start}${headers}X-A: a\x01b\r\n\r\n`],
    ['a header without a colon', `${start}${headers}nonsense\r\n\r\n`],
    ['a header name with a space', `${start}${headers}X A: b\r\n\r\n`],
    ['headers of 20 kB', `${start}${headers}X-A: ${'a'.repeat(20_000)}\r\n\r\n`],
    ['a Content-Length that is no number', `${start}${headers}Content-Length: abc\r\n\r\n${FILE}`],
    ['a Content-Length in hexadecimal', `${start}${headers}Content-Length: 0x19\r\n\r\n${FILE}`],
    ['a negative Content-Length', `${start}${headers}Content-Length: -1\r\n\r\n${FILE}`],
    ['two lengths', `${start}${headers}${length}Content-Length: 2\r\n\r\n${FILE}`],
    ['two equal lengths', `${start}${headers}${length}${length}\r\n${FILE}`],
    ['a list of lengths', `${start}${headers}Content-Length: 25, 25\r\n\r\n${FILE}`],
    ...HOSTS.map((host): [string, string] => [
      `the Host headers ${JSON.stringify(host)}`,
      `${start}${host}\r\nContent-Type: application/json\r\n${length}\r\n${FILE}`,
    ]),
    ...CODINGS.map((coding): [string, string] => [
      `the transfer coding ${JSON.stringify(coding)}`,
      `${start}Host: 127.0.0.1\r\nContent-Type: application/json\r\nTransfer-Encoding: ${coding}\r\n\r\n19\r\n${FILE}\r\n0\r\n\r\n`,
    ]),
    [
      'chunks in HTTP/1.0',
      `${method} ${path} HTTP/1.0\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n19\r\n${FILE}\r\n0\r\n\r\n`,
    ],
    [
      'a length and chunks',
      `${start}${headers}${length}Transfer-Encoding: chunked\r\n\r\n19\r\n${FILE}\r\n0\r\n\r\n`,
    ],
  ]
}

export function badMessages(fixture: UploadFixture): BadRequests {
  const { baseUrl } = fixture.service
  return {
    'malformed HTTP to the service': malformedRows(baseUrl, 'POST', `${API}/assets/signed`),
    'a malformed chunked body to the service': [brokenChunk(baseUrl)],
    'a request with another Host or from another origin': otherOriginRows(baseUrl),
  }
}

/** The same malformed requests to the disk storage. */
export function badStorageMessages(fixture: UploadFixture): BadRequests {
  const { storageUrl } = fixture.service
  const path = (fixture.empty.urls[0]?.url ?? '').replace(storageUrl, '')
  return { 'malformed HTTP to the storage': malformedRows(storageUrl, 'PUT', path) }
}

/** Malformed HTTP gets an error in JSON, like every other refused request. */
function malformedRows(url: string, method: string, path: string): BadRequest[] {
  return malformed(path, method).map(([input, text]) => ({
    input,
    send: () => sendText(url, text),
    refusal: malformedRequest,
  }))
}

/** This request is only sent to the service, because the storage refuses all chunked bodies. */
function brokenChunk(baseUrl: string): BadRequest {
  const start = `POST ${API}/assets/signed HTTP/1.1\r\nHost: 127.0.0.1\r\n`
  const headers = 'Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n'
  return {
    input: 'a chunk with an invalid size',
    send: () => sendText(baseUrl, `${start}${headers}\r\nzz\r\n${FILE}\r\n0\r\n\r\n`),
    refusal: malformedRequest,
  }
}

function otherOriginRows(baseUrl: string): BadRequest[] {
  const strangers: Record<string, string>[] = [
    { host: 'evil.example' },
    { host: '127.0.0.1.evil.example' },
    { host: 'localhost.evil.example' },
    { host: 'evil.example', 'x-forwarded-host': 'localhost' },
    { host: '127.0.0.1:x' },
    { host: '0.0.0.0' },
    { host: '[::2]' },
    { origin: 'http://evil.example' },
    { origin: 'null' },
    { origin: '' },
    { origin: baseUrl.replace('http:', 'https:') },
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
  ]
  const type = { 'content-type': 'application/json' }
  return strangers.flatMap((headers) => [
    {
      input: `GET /assets ${JSON.stringify(headers)}`,
      send: () => sendExactly(baseUrl, { method: 'GET', path: `${API}/assets`, headers }),
      refusal: forbidden,
    },
    {
      input: `POST /assets/signed ${JSON.stringify(headers)}`,
      send: () =>
        sendExactly(baseUrl, {
          ...{ method: 'POST', path: `${API}/assets/signed`, body: FILE },
          headers: { ...type, ...headers },
        }),
      refusal: forbidden,
    },
  ])
}
