import { once } from 'node:events'
import { type ClientRequest, type IncomingMessage, request } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { someBytes } from '@stowage/testing/service/upload'

/** Content of any length from one buffer. Every file, and every part of it, starts at a different offset. */
export interface Pattern {
  /** PUTs the bytes from `start` to `end` (exclusive) and returns the status. */
  put(url: string, range: { file: number; start: number; end: number }): Promise<number>
  /** GETs the file, compares each byte, and returns the status and the number of received bytes. */
  get(url: string, file: number): Promise<{ status: number; length: number }>
}

/** Prime, so that no round part size is a multiple of it. */
const PERIOD = 1_000_003
const SEND_SIZE = 256 * 1024

export function aPattern(): Pattern {
  const period = someBytes(PERIOD)
  const twice = Buffer.concat([period, period])

  /** A view, not a copy. Its length is at most one period. */
  function bytesAt(file: number, offset: number, length: number): Buffer {
    const start = (offset + file * 77_777) % PERIOD
    return twice.subarray(start, start + length)
  }

  return {
    async put(url, { file, start, end }) {
      function* chunks(): Generator<Buffer> {
        for (let offset = start; offset < end; offset += SEND_SIZE) {
          yield bytesAt(file, offset, Math.min(SEND_SIZE, end - offset))
        }
      }
      const put = request(url, { method: 'PUT', headers: { 'Content-Length': end - start } })
      const [response] = await Promise.all([
        responseTo(put),
        pipeline(Readable.from(chunks()), put),
      ])
      await once(response.resume(), 'end')
      return response.statusCode ?? 0
    },

    async get(url, file) {
      const response = await responseTo(request(url).end())
      let length = 0
      for await (const chunk of response as AsyncIterable<Buffer>) {
        if (!chunk.equals(bytesAt(file, length, chunk.length))) {
          throw new Error(`file ${file} differs after byte ${length}`)
        }
        length += chunk.length
      }
      return { status: response.statusCode ?? 0, length }
    },
  }
}

async function responseTo(sent: ClientRequest): Promise<IncomingMessage> {
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  return response
}
