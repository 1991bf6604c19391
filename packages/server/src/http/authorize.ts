import type { FastifyReply, FastifyRequest } from 'fastify'
import { includesScope, type KeyScope } from '../domain/key.ts'
import { ServiceError } from '../errors.ts'
import { type AccountContext, type Context, forAccount } from '../operations/context.ts'
import { authenticate } from '../operations/keys/authenticate.ts'
import { limitRate, type RateStanding } from '../operations/keys/limit-rate.ts'

/** Who was let in. */
export interface Admitted {
  /** What it may touch. */
  context: AccountContext
  /** What it may do there. */
  scope: KeyScope
}

/** Lets the caller in, before its body is read, or refuses it. */
export async function admit(
  context: Context,
  needed: KeyScope,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<Admitted> {
  const caller = await authenticate(context, request.headers.authorization)
  const standing = await limitRate(context, caller.keyId)
  if (standing !== undefined) tellStanding(context, standing, reply)
  if (!includesScope(caller.scope, needed)) {
    throw new ServiceError(
      'forbidden',
      `This call needs a key with the scope ${needed}; this one has ${caller.scope}.`,
    )
  }
  return { context: forAccount(context, caller.accountId), scope: caller.scope }
}

function tellStanding(context: Context, standing: RateStanding, reply: FastifyReply): void {
  const resetsAt = standing.resetsAt.getTime()
  reply.headers({
    'X-RateLimit-Limit': standing.limit,
    'X-RateLimit-Remaining': standing.remaining,
    'X-RateLimit-Reset': resetsAt / 1000,
  })
  if (!standing.isExceeded) return
  const seconds = Math.max(1, Math.ceil((resetsAt - context.clock().getTime()) / 1000))
  reply.header('Retry-After', seconds)
  throw new ServiceError(
    'too_many_requests',
    `More than ${standing.limit} requests in this minute. Go on in ${seconds} seconds.`,
  )
}
