const ADVICE: [codes: RegExp, advice: string][] = [
  [/^(ENOTFOUND|EAI_AGAIN)$/, 'The host name is unknown. Check the URL and the DNS settings.'],
  [
    /^ECONNREFUSED$/,
    'The port refuses connections. Check that the service is running (stowage serve), and the port in the URL.',
  ],
  [
    /^(EPROTO|ERR_SSL_.*)$/,
    'TLS failed. If the service uses plain HTTP on this port, use a URL that begins with http://.',
  ],
  [
    /CERT|SIGNATURE|^ERR_TLS_/,
    'The certificate is not trusted. Check the host name in the URL, or set NODE_EXTRA_CA_CERTS if you use your own CA.',
  ],
  [
    /^(ECONNRESET|UND_ERR_SOCKET|HPE_.*)$/,
    'The connection was closed without an HTTP response. Check the port in the URL, and whether it needs https://.',
  ],
  [
    /^(ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|UND_ERR_CONNECT_TIMEOUT)$/,
    'The host is unreachable. Check the network, the firewall and the host in the URL.',
  ],
]

/** Returns what to check after a failed connection, with the error code of the system. */
export function adviceForFailure(failure: unknown): string {
  const code = codeOf(failure)
  const known = ADVICE.find(([codes]) => codes.test(code))?.[1]
  const reason = code ? ` (${code})` : ''
  return `${known ?? 'Check the URL, and that the service is running.'}${reason}`
}

/** `fetch` reports the reason as a cause of its error. */
function codeOf(failure: unknown): string {
  for (let cause = failure; cause instanceof Error; cause = cause.cause) {
    if ('code' in cause && typeof cause.code === 'string') return cause.code
  }
  return ''
}
