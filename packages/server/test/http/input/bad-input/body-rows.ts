import { sendExactly } from '../../../support/exact-request.ts'
import { type BadRequest, type Refusal, shorten } from '../../../support/refusals.ts'

/** An endpoint that accepts a body. */
export interface Call {
  method: string
  path: string
  /** A valid body. */
  goodBody: string
  /** The maximum length of the body. */
  limit: number
}

export interface Body {
  /** The name of the body in the table; by default its text. */
  input?: string
  text: string | Buffer | undefined
  headers?: Record<string, string>
  refusal: Refusal
}

export const JSON_TYPE = { 'content-type': 'application/json' }

/** Sends each body to each call. */
export function bodyRows(
  baseUrl: string,
  calls: Call[],
  bodiesOf: (call: Call) => Body[],
): BadRequest[] {
  return calls.flatMap((call) =>
    bodiesOf(call).map(({ input, text, headers = JSON_TYPE, refusal }) => ({
      input: `${call.method} ${call.path.split('/').at(-1)} ${input ?? shorten(text)}`,
      send: () => {
        const { method, path } = call
        return sendExactly(baseUrl, { method, path, body: text, headers })
      },
      refusal,
    })),
  )
}
