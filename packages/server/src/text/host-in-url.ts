/** A host as it stands in an address: IPv6 goes in brackets. */
export function hostInUrl(host: string): string {
  return host.includes(':') ? `[${host}]` : host
}
