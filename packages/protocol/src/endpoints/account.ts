import {
  AccountResponse,
  KeyList,
  KeyPath,
  KeyRequest,
  NewKeyResponse,
  Revoked,
  UsageResponse,
} from '../account.ts'
import { defineEndpoint } from '../endpoint.ts'
import { accountExample, keyExample, usageExample } from '../examples.ts'
import { API_PREFIX } from './prefix.ts'

export const readAccount = defineEndpoint({
  operationId: 'readAccount',
  methods: ['GET'],
  path: `${API_PREFIX}/account`,
  tag: 'Account',
  scope: 'read',
  summary: 'View the account and its plan',
  description: 'The bytes stored, reserved and available, and the scope of the key in use.',
  success: {
    status: 200,
    description: 'The account',
    schema: AccountResponse,
    example: { data: accountExample },
  },
  errors: [],
})

export const readUsage = defineEndpoint({
  operationId: 'readUsage',
  methods: ['GET'],
  path: `${API_PREFIX}/account/usage`,
  tag: 'Account',
  scope: 'read',
  summary: 'View the usage by type',
  description: 'The bytes of all types add up to `stored` in `GET /account`.',
  success: {
    status: 200,
    description: 'The usage',
    schema: UsageResponse,
    example: { data: usageExample },
  },
  errors: [],
})

export const listKeys = defineEndpoint({
  operationId: 'listKeys',
  methods: ['GET'],
  path: `${API_PREFIX}/keys`,
  tag: 'Account',
  scope: 'manage',
  summary: 'List the keys',
  description: 'Includes revoked keys. Secrets are never returned again.',
  success: {
    status: 200,
    description: 'The keys, oldest first',
    schema: KeyList,
    example: { data: [keyExample] },
  },
  errors: [],
})

export const createKey = defineEndpoint({
  operationId: 'createKey',
  methods: ['POST'],
  path: `${API_PREFIX}/keys`,
  tag: 'Account',
  scope: 'manage',
  summary: 'Create a key',
  description:
    'Returns the secret, which is shown only once. Not idempotent: each call creates a key.',
  body: KeyRequest,
  bodyExample: { name: 'shop backend', scope: 'write' },
  success: {
    status: 201,
    description: 'The key, with its secret',
    schema: NewKeyResponse,
    example: { data: { ...keyExample, secret: 'stow_…' } },
  },
  errors: [],
})

export const revokeKey = defineEndpoint({
  operationId: 'revokeKey',
  methods: ['DELETE'],
  path: `${API_PREFIX}/keys/:id`,
  tag: 'Account',
  scope: 'manage',
  summary: 'Revoke a key',
  description: 'The key stops working immediately. The last manage key cannot be revoked.',
  params: KeyPath,
  success: {
    status: 200,
    description: 'The key is revoked',
    schema: Revoked,
    example: { revoked: true },
  },
  errors: ['not_found', 'last_manage_key'],
})
