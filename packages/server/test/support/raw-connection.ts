import { connect, type Socket } from 'node:net'
import type { TestContext } from 'node:test'
import { until } from '@stowage/testing/machine/until'

export interface RawConnection {
  socket: Socket
  /** The text received so far. */
  received(): string
  /** Waits until this text was received. */
  waitFor(text: string): Promise<void>
  /** Waits until the server has closed the connection. */
  closed(): Promise<void>
}

/** A TCP connection that sends only the bytes that the test writes, and stays half-open when the server closes. */
export function aRawConnection(t: TestContext, url: string): RawConnection {
  const { hostname, port } = new URL(url)
  const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true })
  t.after(() => socket.destroy())
  let text = ''
  let isClosed = false
  socket.on('data', (bytes) => {
    text += bytes.toString('latin1')
  })
  socket.on('end', () => {
    isClosed = true
  })
  socket.on('error', () => {
    isClosed = true
  })
  return {
    socket,
    received: () => text,
    waitFor: (part) =>
      until(`${part} is received`, () => text.includes(part)).catch((error) => {
        throw new Error(`Received instead: ${text}`, { cause: error })
      }),
    closed: () => until('the connection is closed', () => isClosed),
  }
}
