import { Agent as HttpAgent, request as httpRequest, type OutgoingHttpHeaders } from 'node:http'
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https'
import { setTimeout as pause } from 'node:timers/promises'
import { CALL_TIMEOUT_MS } from './bounded-send.ts'

export interface Exchange {
  /** Sends a POST without a body, again after bad luck, and returns what a success says. */
  post(url: string, headers: OutgoingHttpHeaders): Promise<string>
  close(): void
}

interface Answer {
  status: number
  text: string
}

const TRIES = 3
const FIRST_PAUSE_MS = 50
const MOST_SOCKETS = 128
/** An upload's name takes a few hundred bytes. */
const LONGEST_ANSWER = 64 * 1024

/** Plain HTTP on connections that are kept: for the one call that every session makes. */
export function openPostClient(origin: string): Exchange {
  const isPlain = origin.startsWith('http:')
  const request = isPlain ? httpRequest : httpsRequest
  const agent = new (isPlain ? HttpAgent : HttpsAgent)({
    keepAlive: true,
    maxSockets: MOST_SOCKETS,
  })

  function once(url: string, headers: OutgoingHttpHeaders): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const options = { method: 'POST', agent, headers: { ...headers, 'Content-Length': 0 } }
      const sent = request(url, options, (response) => {
        let text = ''
        response.setEncoding('utf8')
        response.on('data', (chunk) => {
          text += chunk
          if (text.length > LONGEST_ANSWER) sent.destroy(new Error('the store answers too much'))
        })
        response.on('end', () => resolve({ status: response.statusCode ?? 0, text }))
        response.on('error', reject)
      })
      // For all of it, also for waiting until a connection is free.
      const deadline = setTimeout(() => sent.destroy(silence()), CALL_TIMEOUT_MS)
      sent.on('close', () => clearTimeout(deadline))
      sent.on('error', reject)
      sent.end()
    })
  }

  return {
    async post(url, headers) {
      for (let attempt = 1; ; attempt += 1) {
        const answer = await once(url, headers).catch((error: unknown) => error)
        if (isAnswer(answer) && answer.status === 200) return answer.text
        if (!isBadLuck(answer) || attempt === TRIES) throw toError(answer)
        await pause(FIRST_PAUSE_MS * 2 ** attempt)
      }
    },
    close: () => agent.destroy(),
  }
}

/** Whoever was silent for so long is not asked again: the caller waits, too. */
function silence(): Error {
  return Object.assign(new Error('the store is silent'), { code: 'ETIMEDOUT' })
}

function isBadLuck(answer: unknown): boolean {
  if (isAnswer(answer)) return answer.status >= 500 || answer.status === 429
  return !(answer instanceof Error && 'code' in answer && answer.code === 'ETIMEDOUT')
}

function isAnswer(answer: unknown): answer is Answer {
  return typeof answer === 'object' && answer !== null && 'status' in answer
}

function toError(answer: unknown): unknown {
  if (!isAnswer(answer)) return answer
  return new Error(`the store refused with ${answer.status}: ${answer.text.slice(0, 300)}`)
}
