import { hasUploadTokenPrefix, isWellFormedApiKey } from '../../domain/api-key.ts'
import { ServiceError } from '../../errors.ts'
import type { Context } from '../context.ts'
import { authenticateUploadToken } from '../upload-tokens/authenticate-upload-token.ts'
import type { Caller } from './caller.ts'
import { findCaller, findCreator, openCaller } from './find-caller.ts'
import { hashKey } from './hash-key.ts'

export interface Credentials {
  /** The Authorization header. It takes precedence. */
  authorization: string | undefined
  /** The token of the session cookie, if the request may use it. */
  sessionToken: string | undefined
}

/** Finds the caller; throws `unauthenticated`. */
export async function authenticate(
  context: Context,
  { authorization, sessionToken }: Credentials,
): Promise<Caller> {
  const { auth } = context.settings
  const secret = /^Bearer +(\S+) *$/i.exec(authorization ?? '')?.[1]
  // An open service ignores keys, but it applies the limits of upload tokens, so that pages behave as in production.
  if (secret !== undefined && hasUploadTokenPrefix(secret)) {
    return authenticateUploadToken(context, secret)
  }
  if (auth.kind === 'open') return openCaller(auth)
  if (authorization === undefined && sessionToken !== undefined) {
    return authenticateSession(context, sessionToken)
  }
  if (secret === undefined) {
    throw unauthenticated('An API key is required. Send it as Authorization: Bearer <key>.')
  }
  const caller = await findCaller(context, secret)
  if (caller !== undefined) return caller
  throw unauthenticated(
    isWellFormedApiKey(secret)
      ? 'The API key is unknown or was revoked. Use another key.'
      : 'The API key is malformed: characters are missing or mistyped. Copy the whole key.',
  )
}

async function authenticateSession(context: Context, token: string): Promise<Caller> {
  const session = await context.database.findSession(hashKey(token))
  const caller = session && (await findCreator(context, token, session.keyHash))
  if (session === undefined || caller === undefined) {
    throw unauthenticated(
      'The session has ended: you signed out, it expired, or its key was revoked. Sign in again.',
    )
  }
  return { ...caller, session: { token, expiresAt: session.expiresAt } }
}

function unauthenticated(message: string): ServiceError {
  return new ServiceError('unauthenticated', message)
}
