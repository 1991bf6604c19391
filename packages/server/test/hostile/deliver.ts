import { connect, type Socket } from 'node:net'
import { openAnswerReader, type WireAnswer } from './answers.ts'
import type { Probe } from './probe.ts'
import { type BrokenRequest, type FramedRequest, render } from './request.ts'

/** What one connection brought. */
export interface Delivery {
  /** In the order of the requests; fewer when the service closed the connection. */
  answers: WireAnswer[]
  /** How many `100 Continue` came. */
  interim: number
  probe: 'answered' | 'closed'
  /** What came off the wire was not HTTP, or the connection hung. */
  failure?: string
}

/** How long a connection may receive nothing at all. A loaded machine needs some of it, more so in a long run. */
const HANG_MS = Number(process.env.HOSTILE_HANG_MS ?? 20_000)
/** After this, a message that may be incomplete is ended by closing the client's side. */
const PATIENCE_MS = 1_500

/** Sends all requests at once on one connection, and the probe behind them. */
export function deliverPipelined(
  port: number,
  requests: FramedRequest[],
  probe: Probe,
  hangMs = HANG_MS,
) {
  const bytes = Buffer.concat([...requests.map(render), probe.bytes])
  const methods = [...requests.map(({ method }) => method), 'GET']
  return exchange({ port, bytes, methods, probe, hangMs })
}

/** Sends the message on a connection of its own, and the probe behind it if others can follow. */
export function deliverBroken(port: number, request: BrokenRequest, probe: Probe) {
  const { isIncomplete, method, bytes } = request
  const all = isIncomplete ? bytes : Buffer.concat([bytes, probe.bytes])
  const endAfterMs = isIncomplete ? 0 : PATIENCE_MS
  return exchange({
    port,
    bytes: all,
    methods: [method, 'GET'],
    probe,
    endAfterMs,
    hangMs: HANG_MS,
  })
}

function exchange(options: {
  port: number
  bytes: Buffer
  methods: string[]
  probe: Probe
  hangMs: number
  /** When the client closes its side; never, if it is left out. */
  endAfterMs?: number
}): Promise<Delivery> {
  const { port, bytes, methods, probe, hangMs, endAfterMs } = options
  return new Promise((resolve) => {
    const socket: Socket = connect({ host: '127.0.0.1', port, noDelay: true })
    const reader = openAnswerReader((index) => methods[index])
    const answers: WireAnswer[] = []
    let interim = 0
    let isOver = false

    function finish(outcome: Delivery['probe'], failure?: string): void {
      if (isOver) return
      isOver = true
      if (patience) clearTimeout(patience)
      socket.destroy()
      resolve({ answers, interim, probe: outcome, ...(failure !== undefined && { failure }) })
    }
    function take(read: () => WireAnswer[]): void {
      try {
        for (const answer of read()) {
          if (answer.status < 200) interim += 1
          else if (probe.isAnsweredBy(answer)) finish('answered')
          else answers.push(answer)
        }
      } catch (error) {
        finish('closed', String(error))
      }
    }
    const patience = endAfterMs && setTimeout(() => socket.end(), endAfterMs)
    socket.setTimeout(hangMs, () => finish('closed', `no byte for ${hangMs} ms`))
    socket.on('data', (data) => take(() => reader.read(data)))
    socket.on('end', () => take(() => reader.end()))
    socket.on('close', () => finish('closed'))
    // A reset is like an end: the rules look at what was answered before.
    socket.on('error', () => finish('closed'))
    if (endAfterMs === 0) socket.end(bytes)
    else socket.write(bytes)
  })
}
