import { timingSafeEqual } from 'node:crypto'
import type { Hmac } from '../../crypto/hmac.ts'
import { type PartRange, partLength } from '../../domain/parts.ts'
import type { DownloadedObject, StorageUpload } from '../storage.ts'

/** What the URL of a part permits: one part of one upload, with an exact length, until it expires. */
export interface PartGrant {
  kind: 'part'
  upload: StorageUpload
  number: number
  length: number
  expiresAt: Date
}

/** What the URL of a download permits. */
interface DownloadGrant {
  kind: 'download'
  object: DownloadedObject
  expiresAt: Date
}

/** The URL of an archive: its owner knows its files. */
interface ArchiveGrant {
  kind: 'archive'
  id: string
  expiresAt: Date
}

type Grant = PartGrant | DownloadGrant | ArchiveGrant
type GrantMethod = 'PUT' | 'GET'

const SIGNATURE = '&signature='

export function partUrl(
  hmac: Hmac,
  upload: StorageUpload,
  range: PartRange,
  expiresAt: Date,
): string {
  const path = `/uploads/${upload.key}/${upload.id}/${range.number}`
  return sign(hmac, 'PUT', `${path}?length=${partLength(range)}&expires=${seconds(expiresAt)}`)
}

/** The properties of the object are base64url-encoded, as some clients re-encode other characters. */
export function downloadUrl(hmac: Hmac, object: DownloadedObject, expiresAt: Date): string {
  const { key, ...properties } = object
  const text = Buffer.from(JSON.stringify(properties)).toString('base64url')
  return sign(hmac, 'GET', `/objects/${key}?object=${text}&expires=${seconds(expiresAt)}`)
}

export function archiveUrl(hmac: Hmac, id: string, expiresAt: Date): string {
  return sign(hmac, 'GET', `/archives/${id}?expires=${seconds(expiresAt)}`)
}

/** Returns what the URL permits, or undefined if its signature is missing or invalid. */
export function readSignedUrl(hmac: Hmac, method: GrantMethod, url: string): Grant | undefined {
  const at = url.lastIndexOf(SIGNATURE)
  if (at < 0) return undefined
  const signed = url.slice(0, at)
  const given = Buffer.from(url.slice(at + SIGNATURE.length))
  const expected = Buffer.from(signature(hmac, method, signed))
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return undefined
  // The signature is valid, so the rest has the format that we wrote.
  if (method === 'PUT') return readPart(signed)
  return readArchive(signed) ?? readDownload(signed)
}

function readPart(signed: string): PartGrant | undefined {
  const match = /^\/uploads\/([^/]+)\/([^/]+)\/(\d+)\?length=(\d+)&expires=(\d+)$/.exec(signed)
  if (match === null) return undefined
  const [, key = '', id = '', number, length, expires] = match
  return {
    kind: 'part',
    upload: { key, id },
    number: Number(number),
    length: Number(length),
    expiresAt: new Date(Number(expires) * 1000),
  }
}

function readArchive(signed: string): ArchiveGrant | undefined {
  const match = /^\/archives\/([^/?]+)\?expires=(\d+)$/.exec(signed)
  if (match === null) return undefined
  const [, id = '', expires] = match
  return { kind: 'archive', id, expiresAt: new Date(Number(expires) * 1000) }
}

function readDownload(signed: string): DownloadGrant | undefined {
  const match = /^\/objects\/([^/?]+)\?object=([\w-]+)&expires=(\d+)$/.exec(signed)
  if (match === null) return undefined
  const [, key = '', properties = '', expires] = match
  return {
    kind: 'download',
    object: { key, ...JSON.parse(Buffer.from(properties, 'base64url').toString()) },
    expiresAt: new Date(Number(expires) * 1000),
  }
}

function sign(hmac: Hmac, method: GrantMethod, unsigned: string): string {
  return unsigned + SIGNATURE + signature(hmac, method, unsigned)
}

function signature(hmac: Hmac, method: GrantMethod, unsigned: string): string {
  return hmac(`${method} ${unsigned}`, 'base64url')
}

function seconds(time: Date): number {
  return Math.floor(time.getTime() / 1000)
}
