import {
  AccountResponse,
  Deleted,
  KeyList,
  KeyPath,
  KeyRequest,
  MAX_KEYS,
  NewKeyResponse,
  Revoked,
  SessionRequest,
  SessionResponse,
  UsageResponse,
} from '../account.ts'
import { API_PREFIX, defineEndpoint } from '../endpoint.ts'
import { accountExample, keyExample, signInExample, usageExample } from '../examples.ts'
import { CreationHeaders } from '../schema.ts'

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
  description:
    'Includes revoked and expired keys. Secrets are not included: a secret is returned only when its key is created.',
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
  description: `Returns the secret, which is shown only once. With \`expires_at\`, the key stops working at that time, and so do its upload tokens and its sessions of the dashboard. An account can have ${MAX_KEYS} active keys. Without an \`Idempotency-Key\`, each call creates a key.`,
  headers: CreationHeaders,
  body: KeyRequest,
  bodyExample: { name: 'shop backend', scope: 'write' },
  success: {
    status: 201,
    description: 'The key, with its secret',
    schema: NewKeyResponse,
    example: { data: { ...keyExample, secret: 'stow_…' } },
  },
  errors: ['too_many_keys', 'idempotency_key_reused', 'result_gone', 'secret_key_missing'],
})

export const revokeKey = defineEndpoint({
  operationId: 'revokeKey',
  methods: ['DELETE'],
  path: `${API_PREFIX}/keys/:id`,
  tag: 'Account',
  scope: 'manage',
  summary: 'Revoke a key',
  description:
    'The key stops working immediately, and so do the upload tokens that it has created. The last manage key cannot be revoked.',
  params: KeyPath,
  success: {
    status: 200,
    description: 'The key is revoked',
    schema: Revoked,
    example: { revoked: true },
  },
  errors: ['not_found', 'last_manage_key'],
})

export const readSession = defineEndpoint({
  operationId: 'readSession',
  methods: ['GET'],
  path: `${API_PREFIX}/session`,
  tag: 'Account',
  scope: 'read',
  summary: 'View the key in use',
  description: 'The key or the session that the call was made with.',
  success: {
    status: 200,
    description: 'The key in use',
    schema: SessionResponse,
    example: { data: signInExample },
  },
  errors: [],
})

export const signIn = defineEndpoint({
  operationId: 'signIn',
  methods: ['POST'],
  path: `${API_PREFIX}/session`,
  tag: 'Account',
  scope: 'read',
  summary: 'Sign in to the dashboard',
  description:
    'For the dashboard; programs send their key with each call. Sets a cookie that scripts cannot read and that has the scope of the key. The cookie is only accepted from pages of the service itself. The session ends when the key is revoked or expires.',
  refusesIdempotencyKey: true,
  body: SessionRequest,
  bodyExample: { remember: false },
  success: {
    status: 201,
    description: 'Signed in, with the cookie in `Set-Cookie`',
    schema: SessionResponse,
    example: { data: signInExample },
  },
  errors: [],
})

export const signOut = defineEndpoint({
  operationId: 'signOut',
  methods: ['DELETE'],
  path: `${API_PREFIX}/session`,
  tag: 'Account',
  scope: 'read',
  summary: 'Sign out of the dashboard',
  description: 'Ends the session in all tabs of the browser. The key stays valid.',
  success: {
    status: 200,
    description: 'Signed out',
    schema: Deleted,
    example: { deleted: true },
  },
  errors: [],
})
