import { StowageError } from '@stowage/client'
import type { Session } from '@stowage/protocol'
import { session as texts } from '../i18n/en/session.ts'
import { fill } from '../i18n/texts.ts'

const URL = '/api/v1/session'
const TIMEOUT_MS = 30_000

/** The key in use. Rejects with `unauthenticated` if nobody is signed in. */
export async function readSession(signal?: AbortSignal): Promise<Session> {
  const { data } = await call<{ data: Session }>({ signal })
  return data
}

/**
 * Exchanges the key for a cookie that scripts cannot read. The browser sends the cookie with every request
 * of this page, so the key is not needed again.
 */
export async function signIn(key: string, { isRemembered }: { isRemembered: boolean }) {
  await call({
    method: 'POST',
    headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ remember: isRemembered }),
  })
  await readSession().catch((error: StowageError) => {
    if (error.code !== 'unauthenticated') throw error
    throw new StowageError('network', texts.noCookie, { status: 200 })
  })
}

/** Ends the session in all tabs. */
export async function signOut(): Promise<void> {
  await call({ method: 'DELETE' }).catch((error: StowageError) => {
    if (error.code !== 'unauthenticated') throw error
  })
}

async function call<Result>(
  options: Omit<RequestInit, 'signal'> & { signal?: AbortSignal | undefined },
) {
  const { signal: given, ...init } = options
  const limit = AbortSignal.timeout(TIMEOUT_MS)
  const signal = given ? AbortSignal.any([given, limit]) : limit
  const response = await fetch(URL, { ...init, signal }).catch((cause) => {
    if (given?.aborted) throw given.reason
    throw new StowageError('network', texts.unreachable, { cause })
  })
  const body = await response.json().catch(() => ({}))
  if (response.ok) return body as Result
  const {
    code = 'bad_response',
    message = fill(texts.unexpected, { status: `${response.status}` }),
  } = body
  throw new StowageError(code, message, { status: response.status })
}
