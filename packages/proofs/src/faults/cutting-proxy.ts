import { connect, createServer, type Socket } from 'node:net'
import { listenOnFreePort } from '@stowage/testing/machine/ports'

/** When a connection is cut: before the server receives a message, or between the message and its response. */
export type Moment = 'before' | 'after'

interface CuttingProxy {
  port: number
  /** Counts the client messages after this call, and cuts the connection at the message with this number. */
  cutAt(number: number, moment: Moment): void
  /** Stops cutting connections and returns the number of counted messages. */
  stopCutting(): number
  close(): Promise<void>
}

/** Forwards bytes to a port of this machine. Each chunk that arrives from a client counts as a message. */
export async function startCuttingProxy(target: number): Promise<CuttingProxy> {
  const sockets = new Set<Socket>()
  let plan: { number: number; moment: Moment } | undefined
  let count = 0

  const server = createServer((client) => {
    const upstream = connect(target, '127.0.0.1')
    let cutsResponse = false
    const cut = () => {
      client.destroy()
      upstream.destroy()
    }
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.on('error', cut)
      socket.once('close', () => {
        sockets.delete(socket)
        cut()
      })
    }
    client.on('data', (bytes) => {
      count += 1
      if (plan !== undefined && count === plan.number) {
        if (plan.moment === 'before') return cut()
        cutsResponse = true
      }
      upstream.write(bytes)
    })
    upstream.on('data', (bytes) => {
      if (cutsResponse) cut()
      else client.write(bytes)
    })
  })

  const port = await listenOnFreePort(server)
  return {
    port,
    cutAt(number, moment) {
      count = 0
      plan = { number, moment }
    },
    stopCutting() {
      plan = undefined
      return count
    },
    close() {
      for (const socket of sockets) socket.destroy()
      return new Promise((resolve) => server.close(() => resolve()))
    },
  }
}
