import type { FastifyInstance, FastifyRequest } from 'fastify'
import { ServiceError } from '../../errors.ts'
import {
  awaitsContinue,
  hasUnknownExpectation,
  UNKNOWN_EXPECTATION,
  writeContinueInTurn,
} from '../../node-http/expectations.ts'

export function refuseExpectations({ raw }: FastifyRequest): void {
  if (!hasUnknownExpectation(raw)) return
  throw new ServiceError(UNKNOWN_EXPECTATION.code, UNKNOWN_EXPECTATION.message)
}

/** Sends `100 Continue` to a client that waits for it, after its key and route are accepted. */
export function sendContinue(app: FastifyInstance): void {
  app.addHook('preParsing', (request, reply, payload, done) => {
    if (awaitsContinue(request.raw)) writeContinueInTurn(reply.raw)
    done(null, payload)
  })
}
