import { connect } from 'node:net'

/** All connections read into the same buffer, one after the other: nobody looks at the bytes. */
const BUFFER = Buffer.allocUnsafeSlow(1 << 20)
const IDLE_MS = 60_000

/**
 * Downloads a body and drops it. Reads from a plain socket, because `fetch` needs more CPU for a byte than a server.
 * Throws if the response does not have this status and exactly this many bytes.
 */
export function receive(
  url: string,
  expected: { status: number; length: number },
  headers: Record<string, string> = {},
): Promise<void> {
  const { hostname, port, pathname, search, host } = new URL(url)
  const lines = Object.entries({ Host: host, Connection: 'close', ...headers })
  const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')
  return new Promise((resolve, reject) => {
    let received = 0
    let start = ''
    let headLength = -1
    function onBytes(count: number): boolean {
      received += count
      if (headLength < 0) {
        start += BUFFER.toString('latin1', 0, count)
        const end = start.indexOf('\r\n\r\n')
        if (end >= 0) headLength = end + 4
      }
      return true
    }
    const socket = connect({
      host: hostname,
      port: Number(port),
      onread: { buffer: BUFFER, callback: onBytes },
    })
    socket.setTimeout(IDLE_MS, () => socket.destroy(new Error('the download stalled')))
    socket.once('error', reject)
    socket.once('close', () => {
      const isRight = start.startsWith(`HTTP/1.1 ${expected.status} `)
      if (isRight && received - headLength === expected.length) resolve()
      else reject(new Error(`${received} bytes: ${start.slice(0, 200)}`))
    })
    // Not `end`: a server may take a half-closed connection for a client that has gone.
    socket.write(`GET ${pathname}${search} HTTP/1.1\r\n${head}\r\n`)
  })
}
