/** The `Range` header for the bytes from `start` up to, not including, `end`. */
export function rangeHeader({ start, end }: { start: number; end?: number | undefined }): string {
  const last = end === undefined ? '' : end - 1
  if (Number.isSafeInteger(start) && start >= 0 && (last === '' || Number.isSafeInteger(last))) {
    if (last === '' || last >= start) return `bytes=${start}-${last}`
  }
  // HTTP has no empty range, and servers answer a malformed one with the whole file.
  throw new TypeError(`Invalid range ${start} to ${end}. Use whole numbers, 0 <= start < end.`)
}
