/** The header is within this many bytes: readers accept other bytes before it. */
const HEADER_WITHIN = 1024

/** False if no viewer could open it: the header or the reference to its pages is missing. */
export function isPdf(bytes: Uint8Array): boolean {
  const decoder = new TextDecoder('latin1')
  const hasHeader = decoder.decode(bytes.subarray(0, HEADER_WITHIN)).includes('%PDF-')
  return hasHeader && decoder.decode(bytes).includes('/Root')
}
