/** Whether the client accepts this encoding: `gzip, br` accepts gzip, `gzip;q=0` does not. */
export function acceptsEncoding(accepted: string | undefined, encoding: string): boolean {
  return new RegExp(`\\b${encoding}\\b(?!\\s*;\\s*q=0(\\.0*)?\\s*(,|$))`).test(accepted ?? '')
}
