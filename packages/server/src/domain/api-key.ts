import { crc32 } from 'node:zlib'

/**
 * `stow_` + 43 letters for 256 random bits + 6 letters of checksum. The prefix is for secret
 * scanners; the checksum tells a typing error from a key that was revoked.
 */
const PREFIX = 'stow_'
const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const SECRET_BYTES = 32
const SECRET_LETTERS = 43
const CHECKSUM_LETTERS = 6
const HINT_LETTERS = 4

export const KEY_ENTROPY_BYTES = SECRET_BYTES

/** Makes a key out of 32 random bytes. */
export function formatApiKey(random: Uint8Array): string {
  const secret = toLetters(BigInt(`0x${Buffer.from(random).toString('hex')}`), SECRET_LETTERS)
  return PREFIX + secret + checksumOf(secret)
}

/** Whether it can be a key at all: prefix, letters and checksum fit. */
export function isWellFormedApiKey(key: string): boolean {
  if (!key.startsWith(PREFIX) || key.length !== PREFIX.length + SECRET_LETTERS + CHECKSUM_LETTERS) {
    return false
  }
  const secret = key.slice(PREFIX.length, -CHECKSUM_LETTERS)
  return /^[0-9A-Za-z]+$/.test(secret) && key.endsWith(checksumOf(secret))
}

/** What of a key may be shown, so that people recognize it. */
export function apiKeyHint(key: string): string {
  return `${PREFIX}…${key.slice(-HINT_LETTERS)}`
}

function checksumOf(secret: string): string {
  return toLetters(BigInt(crc32(secret)), CHECKSUM_LETTERS)
}

function toLetters(value: bigint, length: number): string {
  const base = BigInt(ALPHABET.length)
  let rest = value
  let letters = ''
  for (let index = 0; index < length; index += 1) {
    letters = ALPHABET.charAt(Number(rest % base)) + letters
    rest /= base
  }
  return letters
}
