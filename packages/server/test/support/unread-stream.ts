import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

/** Opens an event stream and reads only the beginning of the response. */
export async function anUnreadStream(
  baseUrl: string,
  { key, lastEventId }: { key: string; lastEventId?: string },
): Promise<Socket> {
  const { hostname, port, host } = new URL(baseUrl)
  const socket = connect({ host: hostname, port: Number(port) })
  socket.on('error', () => {})
  const position = lastEventId === undefined ? '' : `Last-Event-ID: ${lastEventId}\r\n`
  socket.write(
    `GET /api/v1/events HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${key}\r\nAccept: text/event-stream\r\n${position}\r\n`,
  )
  const [beginning] = (await once(socket, 'data')) as [Buffer]
  socket.pause()
  if (!beginning.toString('latin1').startsWith('HTTP/1.1 200 ')) throw new Error(`${beginning}`)
  return socket
}

/** The body of a `PUT /products` with 1.5 MB. Each call changes all products, which writes 25 events of 60 kB. */
export function largeProducts(round: number): object {
  const products = Array.from({ length: 25 }, (_, index) => ({
    product_id: 1,
    variant_id: index + 1,
    name: 'Pack',
    tags: Array.from({ length: 250 }, (_, tag) => `${round}-${tag}-`.padEnd(240, 'x')),
  }))
  return { products }
}
