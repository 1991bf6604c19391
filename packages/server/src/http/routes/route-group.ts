import type { FastifyInstance } from 'fastify'
import type { Context } from '../../operations/context.ts'
import type { FailedAuthentications } from '../requests/failed-authentications.ts'

export interface RouteOptions {
  context: Context
  /** A function, because a free port is chosen only when the service listens. */
  baseUrl: () => string
  version: string
  /** The folder of the built web app, if there is one. */
  dashboard: URL | undefined
  failures: FailedAuthentications
}

export type RouteGroup = (app: FastifyInstance, options: RouteOptions) => void
