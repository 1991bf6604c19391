/** Reads at most this many bytes from the start of a file. A server may ignore the range. */
export async function readStart(
  url: string,
  maxBytes: number,
  signal: AbortSignal,
): Promise<Uint8Array<ArrayBuffer>> {
  const response = await fetch(url, { signal, headers: { Range: `bytes=0-${maxBytes - 1}` } })
  if (!response.ok || response.body === null) {
    throw new Error(`the storage responded with HTTP ${response.status}`)
  }
  const start = new Uint8Array(maxBytes)
  let length = 0
  const reader = response.body.getReader()
  while (length < maxBytes) {
    const { done, value } = await reader.read()
    if (done) break
    const chunk = value.subarray(0, maxBytes - length)
    start.set(chunk, length)
    length += chunk.length
  }
  await reader.cancel()
  return start.subarray(0, length)
}
