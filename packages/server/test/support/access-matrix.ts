import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import {
  aKeyedService,
  anAccount,
  callerWith,
  type TestAccount,
  type TextResponse,
} from '@stowage/testing/service/accounts'
import type { TestService } from '@stowage/testing/service/service'
import { API } from '@stowage/testing/service/upload'
import type { SendWebhook } from '../../src/domain/webhook.ts'
import { onUnknownIds, targetsOf } from './matrix-targets.ts'
import {
  fillCall,
  type Operation,
  operationsOf,
  SCOPES,
  type Target,
} from './openapi-operations.ts'

/** Every operation of the OpenAPI document, and resources to call it on. */
export interface Matrix {
  service: TestService
  operations: Operation[]
  ours: TestAccount
  /** Targets with existing resources of the account, and the same targets with IDs that never existed. */
  existingAndUnknownTargets(operation: Operation): Promise<Target[]>
  send(operation: Operation, target: Target, secret?: string): Promise<TextResponse>
}

export async function aMatrix(t: TestContext): Promise<Matrix> {
  const service = await aKeyedService(t)
  service.context.sendWebhook = acceptEverything
  // Mails are queued, and no job sends them.
  service.context.mail.mode = 'outbox'
  const document = await service.call('GET', '/openapi.json')
  const operations = operationsOf(document.body)
  const ours = await anAccount(service, { name: 'default' })
  // The examples of other operations refer to these products.
  const products = operations.find(({ name }) => name === `PUT ${API}/products`)
  const stored = await ours.call('PUT', `${API}/products`, products?.body)
  assert.equal(stored.status, 200, stored.text)
  return {
    service,
    operations,
    ours,
    async existingAndUnknownTargets(operation) {
      const targets = await targetsOf(operation, ours)
      return [...targets, ...targets.map((one) => onUnknownIds(one, service.context.newId))]
    },
    send(operation, target, secret) {
      const { path, body, headers } = fillCall(operation, target)
      return callerWith(service.baseUrl, secret)(operation.method, path, body, headers)
    },
  }
}

/** Sends nothing, because the URLs of the examples do not exist. */
const acceptEverything: SendWebhook = async () => {
  return { status: 204, durationMs: 1, error: null, response: '', retryAfter: null }
}

export function isAllowed(held: (typeof SCOPES)[number], { scope }: Operation): boolean {
  if (scope === 'operator') return false
  return scope === 'public' || SCOPES.indexOf(held) >= SCOPES.indexOf(scope)
}
