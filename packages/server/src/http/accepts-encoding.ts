/** Whether the client takes this encoding: `gzip` is in `gzip, br`, but not in `gzip;q=0`. */
export function acceptsEncoding(accepted: string | undefined, encoding: string): boolean {
  return new RegExp(`\\b${encoding}\\b(?!;\\s*q=0(\\.0*)?\\s*(,|$))`).test(accepted ?? '')
}
