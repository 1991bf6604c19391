/** Formats a host for a URL: an IPv6 address is put in brackets. */
export function hostInUrl(host: string): string {
  return host.includes(':') ? `[${host}]` : host
}
