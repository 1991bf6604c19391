import { connect, type Socket } from 'node:net'
import type { Probe } from './probe.ts'
import { type FramedRequest, type MalformedRequest, render } from './request.ts'
import { openResponseReader, type WireResponse } from './responses.ts'

/** The responses on one connection. */
export interface Exchange {
  /** In the order of the requests. Fewer if the service closed the connection. */
  responses: WireResponse[]
  /** The number of `100 Continue` responses. */
  interim: number
  probe: 'responded' | 'closed'
  /** Set if the received bytes were not complete HTTP responses, or if the connection hung. */
  failure?: string
}

/** The maximum time without a byte. It is long, because a loaded machine is slow. */
const HANG_MS = Number(process.env.HOSTILE_HANG_MS ?? 20_000)
/** The service may wait for the rest of a malformed message. After this time, the client half-closes the connection. */
const HALF_CLOSE_MS = 1_500

/** Sends all requests at once on one connection, followed by the probe. */
export function exchangePipelined(
  port: number,
  requests: FramedRequest[],
  probe: Probe,
  hangMs = HANG_MS,
) {
  const bytes = Buffer.concat([...requests.map(render), probe.bytes])
  const methods = [...requests.map(({ method }) => method), 'GET']
  return run({ port, bytes, methods, probe, hangMs })
}

/** Sends the message on a separate connection, followed by the probe unless the message is incomplete. */
export function exchangeMalformed(port: number, request: MalformedRequest, probe: Probe) {
  const { isIncomplete, method, bytes } = request
  const all = isIncomplete ? bytes : Buffer.concat([bytes, probe.bytes])
  const endAfterMs = isIncomplete ? 0 : HALF_CLOSE_MS
  return run({
    port,
    bytes: all,
    methods: [method, 'GET'],
    probe,
    endAfterMs,
    hangMs: HANG_MS,
  })
}

function run(options: {
  port: number
  bytes: Buffer
  methods: string[]
  probe: Probe
  hangMs: number
  /** When the client half-closes the connection; undefined: never. */
  endAfterMs?: number
}): Promise<Exchange> {
  const { port, bytes, methods, probe, hangMs, endAfterMs } = options
  return new Promise((resolve) => {
    const socket: Socket = connect({ host: '127.0.0.1', port, noDelay: true })
    const reader = openResponseReader((index) => methods[index])
    const responses: WireResponse[] = []
    let interim = 0
    let isOver = false

    function finish(outcome: Exchange['probe'], failure?: string): void {
      if (isOver) return
      isOver = true
      if (halfClose) clearTimeout(halfClose)
      socket.destroy()
      resolve({ responses, interim, probe: outcome, ...(failure !== undefined && { failure }) })
    }
    function take(read: () => WireResponse[]): void {
      try {
        for (const response of read()) {
          if (response.status < 200) interim += 1
          else if (probe.isResponse(response)) finish('responded')
          else responses.push(response)
        }
      } catch (error) {
        finish('closed', String(error))
      }
    }
    const halfClose = endAfterMs && setTimeout(() => socket.end(), endAfterMs)
    socket.setTimeout(hangMs, () => finish('closed', `no byte for ${hangMs} ms`))
    socket.on('data', (data) => take(() => reader.read(data)))
    socket.on('end', () => take(() => reader.end()))
    socket.on('close', () => finish('closed'))
    // A reset counts as a close: the rules check the responses received before it.
    socket.on('error', () => finish('closed'))
    if (endAfterMs === 0) socket.end(bytes)
    else socket.write(bytes)
  })
}
