import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto'

/** The length of the key in bytes. */
export const SECRET_KEY_BYTES = 32

const ALGORITHM = 'aes-256-gcm'
const PREFIX = 'sealed:'
const NONCE_BYTES = 12
const TAG_BYTES = 16

/**
 * Encrypts the secrets that the service stores and must be able to read again. The key is kept outside of the database:
 * whoever reads the database, or a backup of it, does not learn the secrets.
 */
export interface SecretKey {
  /** Identifies the key, and does not reveal it. */
  id: string
  /** Set if the key could not be read: `seal`, `derive` and `open` throw. */
  isLost?: true
  /** `context` names what the secret belongs to, such as a row: `open` refuses it in any other place. */
  seal(secret: string, context: string): string
  /** A new secret of 32 bytes. The same nonce returns the same secret. */
  derive(nonce: string): Uint8Array
  /** Throws `CannotOpenSecret`. */
  open(sealed: string, context: string): string
}

/** The secret was sealed with another key or for another context, or it was changed. */
export class CannotOpenSecret extends Error {
  override readonly name = 'CannotOpenSecret'
}

/** The ID of the key that has sealed the text; undefined if it is not sealed. */
export function sealedWith(text: string): string | undefined {
  return text.startsWith(PREFIX) ? text.slice(PREFIX.length).split(':')[0] : undefined
}

/** `key` has 32 random bytes, as base64. */
export function createSecretKey(key: string): SecretKey {
  const bytes = Buffer.from(key, 'base64')
  if (bytes.length !== SECRET_KEY_BYTES) throw new Error('A secret key has 32 bytes')
  const derive = (purpose: string) => createHmac('sha256', bytes).update(purpose).digest()
  const id = derive('stowage: ID of the secret key').toString('hex').slice(0, 16)
  const encryptionKey = derive('stowage: encryption of secrets')
  const derivationKey = derive('stowage: secrets of repeatable calls')

  return {
    id,

    seal(secret, context) {
      const nonce = randomBytes(NONCE_BYTES)
      const cipher = createCipheriv(ALGORITHM, encryptionKey, nonce).setAAD(Buffer.from(context))
      const encrypted = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()])
      const sealed = Buffer.concat([nonce, encrypted, cipher.getAuthTag()])
      return `${PREFIX}${id}:${sealed.toString('base64')}`
    },

    derive(nonce) {
      return createHmac('sha256', derivationKey).update(nonce).digest()
    },

    open(sealed, context) {
      const bytes = Buffer.from(sealed.slice(sealed.lastIndexOf(':') + 1), 'base64')
      try {
        const nonce = bytes.subarray(0, NONCE_BYTES)
        const decipher = createDecipheriv(ALGORITHM, encryptionKey, nonce)
        decipher.setAAD(Buffer.from(context)).setAuthTag(bytes.subarray(-TAG_BYTES))
        const encrypted = bytes.subarray(NONCE_BYTES, -TAG_BYTES)
        return decipher.update(encrypted, undefined, 'utf8') + decipher.final('utf8')
      } catch {
        const keyId = sealedWith(sealed) ?? 'unknown'
        throw new CannotOpenSecret(
          `it was encrypted with the key ${keyId}, but this is the key ${id}`,
        )
      }
    },
  }
}

/** The secrets of a webhook, as they are stored, and the IDs that they are sealed for. */
interface WebhookSecrets {
  id: string
  accountId: string
  secret: string
  previousSecrets: { secret: string; validUntil: Date }[]
}

type Owner = Pick<WebhookSecrets, 'id' | 'accountId'>

export function sealWebhookSecret(key: SecretKey, owner: Owner, secret: string): string {
  return key.seal(secret, contextOf(owner))
}

/** Replaced secrets that cannot be opened are left out. Throws `CannotOpenSecret` for the current one. */
export function openWebhookSecrets(
  key: SecretKey,
  webhook: WebhookSecrets,
): Pick<WebhookSecrets, 'secret' | 'previousSecrets'> {
  const secret = key.open(webhook.secret, contextOf(webhook))
  const previousSecrets = webhook.previousSecrets.flatMap(({ secret: sealed, validUntil }) => {
    try {
      return [{ secret: key.open(sealed, contextOf(webhook)), validUntil }]
    } catch {
      return []
    }
  })
  return { secret, previousSecrets }
}

function contextOf({ id, accountId }: Owner): string {
  return `webhook ${accountId} ${id}`
}

/** An order, and the token of its download page as it is stored. */
interface OrderToken extends Owner {
  sealedToken: string
}

export function sealOrderToken(key: SecretKey, { id, accountId }: Owner, token: string): string {
  return key.seal(token, `order ${accountId} ${id}`)
}

/** Undefined if the token was sealed with another key. */
export function openOrderToken(
  key: SecretKey,
  { id, accountId, sealedToken }: OrderToken,
): string | undefined {
  try {
    return key.open(sealedToken, `order ${accountId} ${id}`)
  } catch {
    return undefined
  }
}
