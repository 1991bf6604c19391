import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'
import { DamagedObject } from '../errors.ts'

export interface PartToSend {
  url: string
  length: number
  /** Can be read more than once: for its digest, and for each attempt. */
  bytes: () => AsyncIterable<Uint8Array>
}

const TRIES = 5
const FIRST_PAUSE_MS = 50
const SILENCE_MS = 60_000

export async function md5Of(bytes: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const hash = createHash('md5')
  for await (const chunk of bytes) hash.update(chunk)
  return hash.digest()
}

/**
 * Sends a part with its MD5, which an S3 store compares with what arrives. Repeats what may have
 * been bad luck; throws what is a refusal.
 */
export async function sendPart(part: PartToSend, md5: Buffer): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    const problem = await tryToSend(part, md5)
    if (problem === undefined) return
    if (!problem.isBadLuck || attempt === TRIES) throw problem.error
    await pause(FIRST_PAUSE_MS * 2 ** attempt)
  }
}

async function tryToSend(
  { url, length, bytes }: PartToSend,
  md5: Buffer,
): Promise<{ isBadLuck: boolean; error: Error } | undefined> {
  const silence = watchForSilence()
  try {
    const body = Readable.toWeb(Readable.from(silence.watch(bytes())))
    const response = await fetch(url, {
      method: 'PUT',
      signal: silence.signal,
      headers: { 'Content-Length': String(length), 'Content-MD5': md5.toString('base64') },
      ...(length > 0 && { body, duplex: 'half' }),
    } as RequestInit)
    const text = await response.text()
    if (response.ok) return undefined
    const isDamaged = text.includes('BadDigest')
    const isBadLuck = response.status >= 500 || response.status === 429 || isDamaged
    const message = `the storage refused a part with ${response.status}: ${text.slice(0, 300)}`
    return { isBadLuck, error: new Error(message) }
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
    // Damage on our own side is no matter of luck.
    if (cause instanceof DamagedObject) return { isBadLuck: false, error: cause }
    const message = `the storage can't be reached (${cause}); run the command again when it can`
    return { isBadLuck: true, error: new Error(message) }
  } finally {
    silence.close()
  }
}

/** Gives up on a store that takes no more bytes and says nothing, however long a part may take. */
function watchForSilence() {
  const controller = new AbortController()
  const giveUp = () => controller.abort(new Error('it is silent'))
  let timer = setTimeout(giveUp, SILENCE_MS)
  return {
    signal: controller.signal,
    async *watch(bytes: AsyncIterable<Uint8Array>) {
      for await (const chunk of bytes) {
        clearTimeout(timer)
        timer = setTimeout(giveUp, SILENCE_MS)
        yield chunk
      }
    },
    close: () => clearTimeout(timer),
  }
}
