import { crc32 } from 'node:zlib'

/**
 * `stow_`, 43 characters for 256 random bits, and 6 characters of checksum. Secret scanners recognize the
 * prefix; the checksum distinguishes a mistyped key from a revoked one.
 */
const PREFIX = 'stow_'
const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const SECRET_BYTES = 32
const SECRET_LENGTH = 43
const CHECKSUM_LENGTH = 6
const HINT_LENGTH = 4

export const KEY_ENTROPY_BYTES = SECRET_BYTES

/** Formats 32 random bytes as a key. */
export function formatApiKey(random: Uint8Array): string {
  const secret = toBase62(BigInt(`0x${Buffer.from(random).toString('hex')}`), SECRET_LENGTH)
  return PREFIX + secret + checksumOf(secret)
}

/** Whether the prefix, the length, the characters and the checksum are valid. */
export function isWellFormedApiKey(key: string): boolean {
  if (!key.startsWith(PREFIX) || key.length !== PREFIX.length + SECRET_LENGTH + CHECKSUM_LENGTH) {
    return false
  }
  const secret = key.slice(PREFIX.length, -CHECKSUM_LENGTH)
  return /^[0-9A-Za-z]+$/.test(secret) && key.endsWith(checksumOf(secret))
}

/** The prefix and the last characters of a key, so that people recognize it. */
export function apiKeyHint(key: string): string {
  return `${PREFIX}…${key.slice(-HINT_LENGTH)}`
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
