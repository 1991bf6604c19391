import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'
import { DamagedObject } from '../errors.ts'

export interface PartToSend {
  url: string
  length: number
  /** Called once per attempt. */
  bytes: () => AsyncIterable<Uint8Array>
}

const MAX_ATTEMPTS = 5
const BASE_PAUSE_MS = 50
const STALL_TIMEOUT_MS = 60_000

export async function md5Of(bytes: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const hash = createHash('md5')
  for await (const chunk of bytes) hash.update(chunk)
  return hash.digest()
}

/**
 * Sends a part with its MD5, which S3-compatible storage verifies. Retries temporary failures; throws if the
 * storage refuses the part.
 */
export async function sendPart(part: PartToSend, md5: Buffer): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    const problem = await tryToSend(part, md5)
    if (problem === undefined) return
    if (!problem.isTemporary || attempt === MAX_ATTEMPTS) throw problem.error
    await pause(BASE_PAUSE_MS * 2 ** attempt)
  }
}

async function tryToSend(
  { url, length, bytes }: PartToSend,
  md5: Buffer,
): Promise<{ isTemporary: boolean; error: Error } | undefined> {
  const stall = watchForStall()
  try {
    const body = Readable.toWeb(Readable.from(stall.watch(bytes())))
    const response = await fetch(url, {
      method: 'PUT',
      signal: stall.signal,
      headers: { 'Content-Length': String(length), 'Content-MD5': md5.toString('base64') },
      ...(length > 0 && { body, duplex: 'half' }),
    } as RequestInit)
    const text = await response.text()
    if (response.ok) return undefined
    const isDamaged = text.includes('BadDigest')
    const isTemporary = response.status >= 500 || response.status === 429 || isDamaged
    const message = `the storage refused a part (HTTP ${response.status}): ${text.slice(0, 300)}`
    return { isTemporary, error: new Error(message) }
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
    // The source is damaged, so a retry does not help.
    if (cause instanceof DamagedObject) return { isTemporary: false, error: cause }
    const message = `the storage cannot be reached (${cause}). Run the command again when it is reachable`
    return { isTemporary: true, error: new Error(message) }
  } finally {
    stall.close()
  }
}

/** Aborts if no byte is sent for a while. A part that makes progress may take any time. */
function watchForStall() {
  const controller = new AbortController()
  const giveUp = () => controller.abort(new Error('no response'))
  let timer = setTimeout(giveUp, STALL_TIMEOUT_MS)
  return {
    signal: controller.signal,
    async *watch(bytes: AsyncIterable<Uint8Array>) {
      for await (const chunk of bytes) {
        clearTimeout(timer)
        timer = setTimeout(giveUp, STALL_TIMEOUT_MS)
        yield chunk
      }
    },
    close: () => clearTimeout(timer),
  }
}
