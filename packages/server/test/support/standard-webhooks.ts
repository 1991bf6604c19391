import { createRequire } from 'node:module'

/** The part of the public library that the tests use. */
interface Verifier {
  /** Returns the parsed body. Throws if the signature is wrong or the request is too old. */
  verify(body: string, headers: Record<string, string>): unknown
}

interface StandardWebhooks {
  Webhook: new (secret: string) => Verifier
}

const library: StandardWebhooks = createRequire(import.meta.url)('standardwebhooks')

/** The public library of Standard Webhooks, as a receiver uses it. */
export const { Webhook } = library
