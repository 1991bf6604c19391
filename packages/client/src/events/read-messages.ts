import { StowageError, stalled } from '../errors.ts'

/** A message of an event stream. Without `data`, it only states the position in the stream. */
export interface StreamMessage {
  id: string | undefined
  data: string | undefined
}

/**
 * Parses `text/event-stream`. A message that is cut off at the end is dropped: the next connection gets it again.
 * Rejects if nothing arrives for `stallMs`: the service sends something every 15 seconds.
 */
export async function* readMessages(
  body: ReadableStream<Uint8Array>,
  stallMs: number,
): AsyncGenerator<StreamMessage> {
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let rest = ''
  let message: StreamMessage = { id: undefined, data: undefined }
  try {
    for (;;) {
      const { done, value } = await readWithin(reader, stallMs)
      if (done) return
      const lines = (rest + decoder.decode(value, { stream: true })).split(/\r?\n/)
      rest = lines.pop() ?? ''
      for (const line of lines) {
        if (line !== '') addLine(message, line)
        else {
          if (message.id !== undefined || message.data !== undefined) yield message
          message = { id: undefined, data: undefined }
        }
      }
    }
  } finally {
    // Also ends the request if the caller stops reading.
    reader.cancel().catch(() => {})
  }
}

/** https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation */
function addLine(message: StreamMessage, line: string): void {
  const [, field, value = ''] = /^([^:]+)(?:: ?(.*))?$/s.exec(line) ?? []
  if (field === 'id') message.id = value
  if (field === 'data')
    message.data = message.data === undefined ? value : `${message.data}\n${value}`
}

async function readWithin(reader: ReadableStreamDefaultReader<Uint8Array>, stallMs: number) {
  let timer: ReturnType<typeof setTimeout> | undefined
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(stalled(stallMs)), stallMs)
  })
  const reading = reader.read().catch((cause: unknown) => {
    throw new StowageError('network', 'The connection was lost.', { cause })
  })
  try {
    return await Promise.race([reading, timeout])
  } finally {
    clearTimeout(timer)
  }
}
