import { defineEndpoint } from '../endpoint.ts'
import { Type } from '../schema.ts'
import { Health, Readiness } from '../service.ts'

export const health = defineEndpoint({
  operationId: 'health',
  methods: ['GET'],
  path: '/healthz',
  tag: 'Service',
  scope: 'public',
  summary: 'Check that the process is running',
  description:
    'For load balancers and liveness probes. Does not check the database or the storage.',
  success: {
    status: 200,
    description: 'The process is running',
    schema: Health,
    example: { status: 'ok' },
  },
  errors: [],
})

export const readiness = defineEndpoint({
  operationId: 'readiness',
  methods: ['GET'],
  path: '/readyz',
  tag: 'Service',
  scope: 'public',
  summary: 'Check that the database and the storage respond',
  description:
    'For monitoring. Use `/healthz` as the health check of a load balancer: all instances share the database and the storage, so an outage would take every instance out of rotation.',
  success: {
    status: 200,
    description: 'Ready for requests',
    schema: Readiness,
    example: { status: 'ready', checks: { database: 'ok', storage: 'ok' } },
  },
  failure: {
    status: 503,
    description: 'The database or the storage does not respond. Retry after `Retry-After` seconds',
    schema: Readiness,
    example: { status: 'unavailable', checks: { database: 'ok', storage: 'unavailable' } },
  },
  errors: [],
})

export const openApi = defineEndpoint({
  operationId: 'openApi',
  methods: ['GET'],
  path: '/openapi.json',
  tag: 'Service',
  scope: 'public',
  summary: 'Get this document',
  description: 'The OpenAPI 3.1 document of this service, for code generators and other tools.',
  success: {
    status: 200,
    description: 'OpenAPI 3.1',
    schema: Type.Unsafe<object>({ type: 'object', additionalProperties: true }),
  },
  errors: [],
})
