import { defineEndpoint } from '../endpoint.ts'
import { Health, Readiness } from '../service.ts'
import { Type } from '../type.ts'

export const health = defineEndpoint({
  operationId: 'health',
  methods: ['GET'],
  path: '/healthz',
  tag: 'Service',
  scope: 'public',
  summary: 'The process runs',
  success: {
    status: 200,
    description: 'It runs',
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
  summary: 'Database and storage answer',
  description: '503 with the same body when one of them does not.',
  success: {
    status: 200,
    description: 'Ready for requests',
    schema: Readiness,
    example: { status: 'ready', checks: { database: 'ok', storage: 'ok' } },
  },
  errors: [],
})

export const openApi = defineEndpoint({
  operationId: 'openApi',
  methods: ['GET'],
  path: '/openapi.json',
  tag: 'Service',
  scope: 'public',
  summary: 'This document',
  success: {
    status: 200,
    description: 'OpenAPI 3.1',
    schema: Type.Unsafe<object>({ type: 'object', additionalProperties: true }),
  },
  errors: [],
})
