/* Parts of messages that violate the rules of HTTP, or are unusual. Each character stands for one byte. */

export const LENGTHS = [
  '+7',
  '-1',
  '7,7',
  '7, 8',
  '0x7',
  '7 7',
  '',
  ' ',
  '99999999999999999999',
  '1e1',
  '7.0',
  'a',
  // A full-width digit, in UTF-8.
  Buffer.from('７').toString('latin1'),
] as const

export const CODINGS = [
  'xchunked',
  'chunked, identity',
  'identity, chunked',
  'identity',
  'chunked, chunked',
  'gzip, chunked',
  'chunked;q=1',
  '"chunked"',
  'chunked\u000b',
  ', chunked',
  'chunked,',
  '',
] as const

export const CHUNKS = [
  'g\r\nabc\r\n0\r\n\r\n',
  '-5\r\nabcde\r\n0\r\n\r\n',
  '0x5\r\nabcde\r\n0\r\n\r\n',
  ' 5\r\nabcde\r\n0\r\n\r\n',
  '5 \r\nabcde\r\n0\r\n\r\n',
  '5\nabcde\n0\n\n',
  '5\r\nabcdefgh\r\n0\r\n\r\n',
  '5\r\nabcde0\r\n\r\n',
  'fffffffffffffffff\r\nabc\r\n0\r\n\r\n',
  '\r\n\r\n',
  `5;${'a'.repeat(20_000)}\r\nabcde\r\n0\r\n\r\n`,
  '5;a=b\nabcde\r\n0\r\n\r\n',
  '0\r\nbad trailer\r\n\r\n',
  '0\r\nContent-Length: 5\r\n\r\n',
  `0\r\n${'X-A: b\r\n'.repeat(3_000)}\r\n`,
] as const

export const HEADERS = [
  'X-Folded: a\r\n b',
  'X-Folded: a\r\n\tb',
  ' X-First: a',
  'X-Space : a',
  'X-Bare: a\rb',
  'X-Nul: a\u0000b',
  'X-Control: a\u0001b',
  'no colon',
  ': no name',
  'X-Näme: a',
  'X(Bad): a',
  `X-Long: ${'a'.repeat(20_000)}`,
  `${'a'.repeat(20_000)}: b`,
  Array.from({ length: 3_000 }, (_, index) => `a${index}:b`).join('\r\n'),
  Array.from({ length: 2_050 }, () => 'a:b').join('\r\n'),
  'Connection: close, upgrade\r\nUpgrade: websocket',
  'Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA',
  'Connection: Content-Length, Transfer-Encoding, Host',
  'Expect: 100-continue\r\nExpect: 200-ok',
] as const

export const START_LINES = [
  'get /healthz HTTP/1.1',
  'GET  /healthz  HTTP/1.1',
  'GET\t/healthz\tHTTP/1.1',
  'GET /health z HTTP/1.1',
  'GET /health\u0000z HTTP/1.1',
  'GET /h\u00e4lthz HTTP/1.1',
  'GET  HTTP/1.1',
  'GET /healthz',
  'GET /healthz HTTP/0.9',
  'GET /healthz HTTP/1.0',
  'GET /healthz HTTP/1.2',
  'GET /healthz HTTP/2.0',
  'GET /healthz HTTP/11',
  'GET /healthz http/1.1',
  'GET healthz HTTP/1.1',
  'GET %2fhealthz HTTP/1.1',
  'GET \\healthz HTTP/1.1',
  'FOO /healthz HTTP/1.1',
  `${'A'.repeat(20_000)} / HTTP/1.1`,
  `GET /${'a'.repeat(20_000)} HTTP/1.1`,
  'CONNECT other.example:443 HTTP/1.1',
  'PRI * HTTP/2.0',
  'SOURCE /healthz HTTP/1.1',
  '\r\n\r\nGET /healthz HTTP/1.1',
  '\u0000GET /healthz HTTP/1.1',
] as const

export const HOSTS = [
  '',
  'Host:',
  'Host: a\r\nHost: b',
  'Host: a b',
  'Host: a/b',
  'Host: \u00ff',
  'Host: http://a',
  `Host: ${'a'.repeat(9_000)}`,
] as const

export const SECOND_HOSTS = ['Host: a', 'host: b', 'HOST:', 'Host: 127.0.0.1'] as const

export const NOT_HTTP = [
  '\u0016\u0003\u0001\u0002\u0000\u0001\u0000\u0001\u00fc\u0003\u0003',
  'SSH-2.0-OpenSSH_9.2\r\n',
  '{"json": true}\r\n\r\n',
  'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n',
  '\u0000'.repeat(100),
  '\u00ff'.repeat(5_000),
  'a'.repeat(50_000),
  'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\u0000\u0000\u0000\u0004\u0000\u0000\u0000\u0000\u0000',
] as const
