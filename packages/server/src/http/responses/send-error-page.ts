import { type ErrorCode, statusOf } from '@stowage/protocol'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { ERROR_PAGE_POLICY, renderErrorPage } from '../pages/render-error-page.ts'

/** Whether a person has opened this URL in a browser. The API always responds with JSON. */
export function wantsPage({ method, url, headers }: FastifyRequest): boolean {
  const isReading = method === 'GET' || method === 'HEAD'
  return isReading && !/^\/api(\/|\?|$)/.test(url) && /\btext\/html\b/.test(headers.accept ?? '')
}

/** Sends the error as a page. */
export function sendErrorPage(reply: FastifyReply, code: ErrorCode, message: string): FastifyReply {
  const status = statusOf(code)
  const text = code === 'not_found' ? 'There is no page at this URL. Check its spelling.' : message
  return reply
    .code(status)
    .headers({
      'Content-Type': 'text/html; charset=utf-8',
      'Content-Security-Policy': ERROR_PAGE_POLICY,
      'Cache-Control': 'no-store',
    })
    .serializer(String)
    .send(renderErrorPage({ code, status, message: text }))
}
