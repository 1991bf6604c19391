import { connect, type Socket } from 'node:net'
import type { TestContext } from 'node:test'
import { until } from '@stowage/testing/machine/until'

export interface RawConnection {
  socket: Socket
  /** Everything that was received so far. */
  received(): string
  /** Waits until this text was received. */
  sees(text: string): Promise<void>
  /** Waits until the other side has closed the connection. */
  closed(): Promise<void>
}

/** A connection on which the test writes every byte itself. It does not close its side by itself. */
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
    sees: (part) => until(`${part} is received, not ${text}`, () => text.includes(part)),
    closed: () => until('the connection is closed', () => isClosed),
  }
}
