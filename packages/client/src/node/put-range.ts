import type { FileHandle } from 'node:fs/promises'
import http from 'node:http'
import https from 'node:https'
import { StowageError, stalled } from '../errors.ts'
import { ANSWER_STALLS, broken } from '../upload/put-body.ts'
import type { PutAnswer, PutOptions, Range } from '../upload/source.ts'

export interface Sending extends Pick<PutOptions, 'signal' | 'stallMs' | 'onSent'> {
  agents: Agents
}

export interface Putting extends Sending {
  file: FileHandle
  range: Range
  /** Sees the bytes in their order. Once all have been read, `onRead` may still refuse them. */
  onBytes(bytes: Buffer): void
  onRead(): Promise<void>
}

export interface Agents {
  http: http.Agent
  https: https.Agent
}

/** Connections stay open from one part to the next. */
export function openAgents(): Agents {
  const options = { keepAlive: true, maxSockets: Infinity }
  return { http: new http.Agent(options), https: new https.Agent(options) }
}

/** Two of them are at work: while one is being sent, the other is filled. */
const BLOCK = 1024 * 1024

/** Sends a range of a file. */
export function putRange(url: string, putting: Putting): Promise<PutAnswer> {
  const { start, end } = putting.range
  return put(url, { ...putting, length: end - start }, (to) => sendBlocks(putting, to))
}

/** Sends bytes in memory. */
export function putBytes(url: string, bytes: Uint8Array, sending: Sending): Promise<PutAnswer> {
  const { length } = bytes
  return put(url, { ...sending, length }, async (to) => {
    for (let at = 0; at < length && !to.isOver(); at += BLOCK) {
      await to.write(bytes.subarray(at, at + BLOCK))
      to.onSent(Math.min(length, at + BLOCK))
    }
  })
}

interface Outlet {
  write(bytes: Uint8Array): Promise<void>
  isOver(): boolean
  onSent(bytes: number): void
}

/** Not by fetch, which copies every chunk and takes no stream of a known length. */
function put(
  url: string,
  sending: Sending & { length: number },
  sendBody: (to: Outlet) => Promise<void>,
): Promise<PutAnswer> {
  const { length, agents, signal, stallMs } = sending
  const isSecure = url.startsWith('https:')
  return new Promise((resolve, reject) => {
    const request = (isSecure ? https : http).request(url, {
      method: 'PUT',
      agent: isSecure ? agents.https : agents.http,
      headers: { 'Content-Length': length },
    })
    let timer: NodeJS.Timeout
    let isOver = false
    let isConnected = false

    function end(error?: unknown): void {
      if (isOver) return
      isOver = true
      clearTimeout(timer)
      signal.removeEventListener('abort', stop)
      if (error === undefined) return
      request.destroy()
      reject(error)
    }

    const stop = () => end(signal.reason)
    const watch = (ms: number) => {
      clearTimeout(timer)
      timer = setTimeout(() => end(stalled(ms)), ms)
    }

    request.once('response', (response) => {
      const { statusCode: status = 0, headers } = response
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.once('error', (error) => end(broken(error)))
      response.once('end', () => {
        if (isOver) return
        end()
        // An answer before the last byte was sent is a refusal: the rest need not go.
        if (!request.writableFinished) request.destroy()
        const body = Buffer.concat(chunks).toString()
        resolve({ status, body, header: (name) => headers[name]?.toString() ?? null })
      })
    })
    request.on('error', (error) => end(broken(error, isConnected)))
    signal.addEventListener('abort', stop, { once: true })
    watch(stallMs)

    const write = (bytes: Uint8Array) =>
      new Promise<void>((done, failed) => {
        request.write(bytes, (error) => (error ? failed(broken(error, isConnected)) : done()))
      })

    sendBody({
      write,
      isOver: () => isOver,
      onSent(bytes) {
        isConnected = true
        if (!isOver) watch(stallMs * (bytes < length ? 1 : ANSWER_STALLS))
        sending.onSent(bytes)
      },
    })
      .then(() => !isOver && request.end())
      .catch(end)
  })
}

async function sendBlocks({ file, range, onBytes, onRead }: Putting, to: Outlet): Promise<void> {
  const { start, end } = range
  const size = Math.min(BLOCK, end - start)
  let filling = Buffer.allocUnsafeSlow(size)
  let leaving = Buffer.allocUnsafeSlow(size)
  let sending: Promise<void> = Promise.resolve()
  for (let at = start; at < end && !to.isOver(); ) {
    const wanted = Math.min(BLOCK, end - at)
    const { bytesRead } = await file.read(filling, 0, wanted, at)
    if (bytesRead === 0) throw new StowageError('file_changed', 'The file became shorter.')
    const bytes = filling.subarray(0, bytesRead)
    onBytes(bytes)
    at += bytesRead
    // Before the last bytes go: what is refused now never becomes a part.
    if (at === end) await onRead()
    await sending
    const sent = at - start
    sending = to.write(bytes).then(() => to.onSent(sent))
    sending.catch(() => {})
    ;[filling, leaving] = [leaving, filling]
  }
  if (start === end) await onRead()
  await sending
}
