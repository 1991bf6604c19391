import { isIP } from 'node:net'

/** The proxies in front of the service. */
export type TrustedProxies =
  | { kind: 'count'; count: number }
  /** Addresses, and networks such as `10.0.0.0/8`. */
  | { kind: 'addresses'; addresses: string[] }

/** Undefined if the text is neither a number from 1 to 10 nor a list of addresses and networks. */
export function parseTrustedProxies(text: string): TrustedProxies | undefined {
  if (/^([1-9]|10)$/.test(text)) return { kind: 'count', count: Number(text) }
  const addresses = text.split(',').map((one) => one.trim())
  return addresses.every(isNetwork) ? { kind: 'addresses', addresses } : undefined
}

function isNetwork(text: string): boolean {
  const [, address = '', bits = '0'] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(text) ?? []
  const family = isIP(address)
  return family !== 0 && Number(bits) <= (family === 6 ? 128 : 32)
}
