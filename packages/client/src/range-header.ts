/** Returns the `Range` header for the bytes from `start` up to, but not including, `end`. */
export function rangeHeader({ start, end }: { start: number; end?: number | undefined }): string {
  const last = end === undefined ? '' : end - 1
  const range = `bytes=${start}-${last}`
  if (/^bytes=\d+-\d*$/.test(range) && (last === '' || last >= start)) return range
  // HTTP has no empty range, and servers respond to a malformed one with the whole file.
  throw new TypeError('Invalid range. Use whole numbers, 0 <= start < end.')
}
