import { BlockList, isIP, isIPv4, isIPv6 } from 'node:net'

/**
 * Multicast, and the special-purpose blocks that are not globally reachable:
 * https://www.iana.org/assignments/iana-ipv4-special-registry
 */
const PRIVATE_IPV4 = blockList('ipv4', [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
  // The platform services of Azure, which every virtual machine reaches at this public address.
  ['168.63.129.16', 32],
])

/** Only these addresses are assigned to hosts on the internet. All others are local, multicast or reserved. */
const GLOBAL_IPV6 = blockList('ipv6', [['2000::', 3]])

/** Blocks within the global ones that are for documentation or tunnels, which could lead to a private address. */
const SPECIAL_IPV6 = blockList('ipv6', [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
])

/** Addresses that contain an IPv4 address in their last 32 bits: mapped ones, and those of NAT64 (RFC 6052). */
const WITH_IPV4 = blockList('ipv6', [
  ['::ffff:0:0', 96],
  ['64:ff9b::', 96],
])

/**
 * Whether the address belongs to a host on the internet: not to this machine, to a private network or to the metadata
 * service of a cloud provider.
 */
export function isPublicAddress(address: string): boolean {
  if (isIPv4(address)) return !PRIVATE_IPV4.check(address)
  if (!isIPv6(address) || address.includes('%')) return false
  if (WITH_IPV4.check(address, 'ipv6')) return isPublicAddress(embeddedIPv4(address))
  return GLOBAL_IPV6.check(address, 'ipv6') && !SPECIAL_IPV6.check(address, 'ipv6')
}

function embeddedIPv4(address: string): string {
  if (address.includes('.')) return address.slice(address.lastIndexOf(':') + 1)
  // The URL parser writes the last 32 bits as two groups of hexadecimal digits.
  const [high = 0, low = 0] = new URL(`http://[${address}]`).hostname
    .slice(1, -1)
    .split(':')
    .slice(-2)
    .map((group) => Number.parseInt(group || '0', 16))
  return [high >> 8, high & 255, low >> 8, low & 255].join('.')
}

function blockList(family: 'ipv4' | 'ipv6', blocks: [address: string, bits: number][]): BlockList {
  const list = new BlockList()
  for (const [address, bits] of blocks) list.addSubnet(address, bits, family)
  return list
}

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
