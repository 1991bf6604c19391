import { crc32 } from 'node:zlib'

/** Each scope includes those before it. */
export const KEY_SCOPES = ['read', 'write', 'manage'] as const
export type KeyScope = (typeof KEY_SCOPES)[number]

export function includesScope(granted: KeyScope, needed: KeyScope): boolean {
  return KEY_SCOPES.indexOf(granted) >= KEY_SCOPES.indexOf(needed)
}

export interface NewKey {
  id: string
  name: string
  scope: KeyScope
  /** SHA-256 of the secret in hexadecimal. The secret itself is never stored. */
  hash: string
  /** The prefix and the last characters of the secret, so that people recognize the key. */
  hint: string
  createdAt: Date
  /** Never, if it is null or missing. */
  expiresAt?: Date | null
}

export interface Key extends NewKey {
  accountId: string
  expiresAt: Date | null
  lastUsedAt: Date | null
  revokedAt: Date | null
}

/** Whether an account can be used. A deleted one can be restored until its removal begins. */
export type AccountState = 'active' | 'suspended' | 'deleted'

/** A key as a call finds it. */
export interface FoundKey extends Key {
  /** By the database's clock. */
  isExpired: boolean
  accountState: AccountState
}

/** The key or upload token that made a call. */
export interface Actor {
  /** Null for the key from the settings. */
  id: string | null
  name: string
}

/**
 * The name under which the end of a session or key is announced to all instances, by the hash of the session’s token or
 * by the ID of the key. Short, because many names are announced together.
 */
export function endedCredential(id: string): string {
  return `~${id.replaceAll('-', '').slice(0, 32)}`
}

export function isEndedCredential(name: string): boolean {
  return name.startsWith('~')
}

/**
 * A key has a prefix, 43 characters for 256 random bits, and 6 characters of checksum. Secret scanners recognize the
 * prefix; the checksum distinguishes a mistyped key from a revoked one.
 */
const KEY_PREFIX = 'stow_'
const UPLOAD_TOKEN_PREFIX = 'stowup_'
const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const SECRET_BYTES = 32
const SECRET_LENGTH = 43
const CHECKSUM_LENGTH = 6
const HINT_LENGTH = 4

export const KEY_ENTROPY_BYTES = SECRET_BYTES

/** Formats 32 random bytes as a key. */
export function formatApiKey(random: Uint8Array): string {
  return format(KEY_PREFIX, random)
}

/** Formats 32 random bytes as an upload token. */
export function formatUploadToken(random: Uint8Array): string {
  return format(UPLOAD_TOKEN_PREFIX, random)
}

/** Whether the prefix, the length, the characters and the checksum are valid. */
export function isWellFormedApiKey(key: string): boolean {
  return isWellFormed(KEY_PREFIX, key)
}

/** Whether the prefix, the length, the characters and the checksum are valid. */
export function isWellFormedUploadToken(token: string): boolean {
  return isWellFormed(UPLOAD_TOKEN_PREFIX, token)
}

/** Whether the text is meant as an upload token, even if it is mistyped. */
export function hasUploadTokenPrefix(text: string): boolean {
  return text.startsWith(UPLOAD_TOKEN_PREFIX)
}

/** The prefix and the last characters of a key, so that people recognize it. */
export function apiKeyHint(key: string): string {
  return `${KEY_PREFIX}…${key.slice(-HINT_LENGTH)}`
}

function format(prefix: string, random: Uint8Array): string {
  const secret = toBase62(BigInt(`0x${Buffer.from(random).toString('hex')}`), SECRET_LENGTH)
  return prefix + secret + checksumOf(secret)
}

function isWellFormed(prefix: string, text: string): boolean {
  if (!text.startsWith(prefix) || text.length !== prefix.length + SECRET_LENGTH + CHECKSUM_LENGTH) {
    return false
  }
  const secret = text.slice(prefix.length, -CHECKSUM_LENGTH)
  return /^[0-9A-Za-z]+$/.test(secret) && text.endsWith(checksumOf(secret))
}

function checksumOf(secret: string): string {
  return toBase62(BigInt(crc32(secret)), CHECKSUM_LENGTH)
}

function toBase62(value: bigint, length: number): string {
  const base = BigInt(ALPHABET.length)
  let rest = value
  let text = ''
  for (let index = 0; index < length; index += 1) {
    text = ALPHABET.charAt(Number(rest % base)) + text
    rest /= base
  }
  return text
}
