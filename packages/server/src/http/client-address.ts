import { BlockList, isIP } from 'node:net'
import type { FastifyRequest } from 'fastify'
import type { TrustedProxies } from '../domain/addresses.ts'

/** More addresses than any chain of proxies has. Clients can send any number. */
const MAX_FORWARDED = 20

/**
 * Returns a function that finds the address of the client. Each proxy appends the address from which it got the request
 * to `X-Forwarded-For`. Only the entries of trusted proxies are used, from the right: clients can send the others.
 */
export function readClientAddress(
  trusted: TrustedProxies | undefined,
): (request: FastifyRequest) => string {
  if (trusted === undefined) return addressOfConnection
  const isTrusted = trusted.kind === 'count' ? isWithin(trusted.count) : isOneOf(trusted.addresses)
  return (request) => {
    let address = addressOfConnection(request)
    const header = request.headers['x-forwarded-for']
    if (header === undefined) return address
    const entries = String(header).split(',').slice(-MAX_FORWARDED).reverse()
    for (const [index, entry] of entries.entries()) {
      const next = parseAddress(entry)
      if (next === undefined || !isTrusted(address, index)) break
      address = next
    }
    return address
  }
}

function addressOfConnection({ raw }: FastifyRequest): string {
  return withoutMapping(raw.socket.remoteAddress ?? '')
}

function isWithin(count: number): (address: string, index: number) => boolean {
  return (_address, index) => index < count
}

function isOneOf(addresses: string[]): (address: string) => boolean {
  const list = new BlockList()
  for (const one of addresses) {
    const [address = '', bits] = one.split('/')
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4'
    if (bits === undefined) list.addAddress(address, family)
    else list.addSubnet(address, Number(bits), family)
  }
  return (address) => list.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4')
}

/** Some proxies append the port, and enclose IPv6 addresses in brackets. */
function parseAddress(entry: string): string | undefined {
  const text = entry.trim()
  const address = /^\[(.+)\](?::\d+)?$/.exec(text)?.[1] ?? /^([\d.]+):\d+$/.exec(text)?.[1] ?? text
  return isIP(address) === 0 ? undefined : withoutMapping(address)
}

/** A socket that accepts both families reports IPv4 addresses as `::ffff:192.0.2.1`. */
function withoutMapping(address: string): string {
  return /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1] ?? address
}

/** IPv6 clients usually have a whole /64, so they count as one. An IPv4 address is its own network. */
export function networkOf(address: string): string {
  if (isIP(address) !== 6) return address
  const [head = '', tail] = (address.split('%')[0] ?? '').split('::')
  const groups = head === '' ? [] : head.split(':')
  const last = tail === undefined || tail === '' ? [] : tail.split(':')
  const zeros = Array<string>(Math.max(0, 8 - groups.length - last.length)).fill('0')
  const first = [...groups, ...zeros, ...last].slice(0, 4)
  return `${first.map((group) => Number.parseInt(group, 16).toString(16)).join(':')}::/64`
}
