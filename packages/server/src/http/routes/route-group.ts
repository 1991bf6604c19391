import type { FastifyInstance } from 'fastify'
import type { Context } from '../../operations/context.ts'

export interface RouteOptions {
  context: Context
  /** Known only once the service listens, where the port may be any. */
  baseUrl: () => string
  version: string
  /** Where the built web app lies, if there is one. */
  dashboard: URL | undefined
}

export type RouteGroup = (app: FastifyInstance, options: RouteOptions) => void
