import type { FileHandle } from 'node:fs/promises'
import type { Agent as HttpAgent } from 'node:http'
import type { Agent as HttpsAgent } from 'node:https'
import { StowageError, stalled } from '../errors.ts'
import { broken, RESPONSE_STALLS } from '../upload/put-body.ts'
import type { PutOptions, PutResponse, Range } from '../upload/source.ts'
import { http, https } from './http-modules.ts'

export interface PutSettings extends Pick<PutOptions, 'signal' | 'stallMs' | 'onSent'> {
  agents: Agents
}

export interface PutRangeOptions extends PutSettings {
  file: FileHandle
  range: Range
  /** Called with the bytes, in order. */
  onBytes(bytes: Buffer): void
  /** Called once all bytes are read, before the last ones are sent. If it rejects, so does the PUT. */
  onRead(): Promise<void>
}

export interface Agents {
  http: HttpAgent
  https: HttpsAgent
  /** Free blocks, for the next parts: discarded blocks would accumulate until the next garbage collection. */
  blocks: Buffer[]
}

/** Keeps connections open between parts. */
export function openAgents(): Agents {
  const options = { keepAlive: true, maxSockets: Infinity }
  return { http: new http.Agent(options), https: new https.Agent(options), blocks: [] }
}

/** The size of a block. Each part uses two blocks: while one is sent, the other is filled. */
const BLOCK = 1024 * 1024
/** Enough for the parts that are sent at the same time. */
const MAX_FREE_BLOCKS = 24

/** Sends a range of a file. */
export function putRange(url: string, options: PutRangeOptions): Promise<PutResponse> {
  const { start, end } = options.range
  return put(url, { ...options, length: end - start }, (to) => sendBlocks(options, to))
}

/** Sends bytes in memory. */
export function putBytes(
  url: string,
  bytes: Uint8Array,
  settings: PutSettings,
): Promise<PutResponse> {
  const { length } = bytes
  return put(url, { ...settings, length }, async (to) => {
    for (let at = 0; at < length && !to.isOver(); at += BLOCK) {
      await to.write(bytes.subarray(at, at + BLOCK))
      to.onSent(Math.min(length, at + BLOCK))
    }
  })
}

interface RequestBody {
  write(bytes: Uint8Array): Promise<void>
  isOver(): boolean
  onSent(bytes: number): void
}

/** Does not use fetch, which copies every chunk and supports no stream of a known length. */
function put(
  url: string,
  settings: PutSettings & { length: number },
  sendBody: (to: RequestBody) => Promise<void>,
): Promise<PutResponse> {
  const { length, agents, signal, stallMs } = settings
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
        // A response before the last byte was sent is an error: do not send the rest.
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
        if (!isOver) watch(stallMs * (bytes < length ? 1 : RESPONSE_STALLS))
        settings.onSent(bytes)
      },
    })
      .then(() => !isOver && request.end())
      .catch(end)
  })
}

async function sendBlocks(
  { file, range, agents, onBytes, onRead }: PutRangeOptions,
  to: RequestBody,
): Promise<void> {
  const { start, end } = range
  const size = Math.min(BLOCK, end - start)
  const takeBlock = () => (size === BLOCK && agents.blocks.pop()) || Buffer.allocUnsafeSlow(size)
  let filling = takeBlock()
  let draining = takeBlock()
  let sending: Promise<void> = Promise.resolve()
  for (let at = start; at < end && !to.isOver(); ) {
    const wanted = Math.min(BLOCK, end - at)
    const { bytesRead } = await file.read(filling, 0, wanted, at)
    if (bytesRead === 0)
      throw new StowageError(
        'file_changed',
        'The file became shorter during its upload. Upload it again to start over.',
      )
    const bytes = filling.subarray(0, bytesRead)
    onBytes(bytes)
    at += bytesRead
    // The last bytes are not sent yet: if `onRead` rejects, the part is never stored.
    if (at === end) await onRead()
    await sending
    const sent = at - start
    sending = to.write(bytes).then(() => to.onSent(sent))
    sending.catch(() => {})
    ;[filling, draining] = [draining, filling]
  }
  if (start === end) await onRead()
  await sending
  // After a failure, the connection may still use the blocks.
  const isFree = size === BLOCK && !to.isOver() && agents.blocks.length < MAX_FREE_BLOCKS
  if (isFree) agents.blocks.push(filling, draining)
}
