import { createHash, timingSafeEqual } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { MAX_ARCHIVE_FILES } from '@stowage/protocol'
import type { SecretKey } from '../crypto/secret-key.ts'
import type { ArchivedAsset } from '../database/archive-data.ts'
import {
  type Archive,
  type ArchiveEntry,
  type ArchiveSource,
  createArchiveLayout,
  positionsOf,
  readStoredSegment,
  storedKeys,
} from '../domain/archive.ts'
import { createArchiveNames, type NameArchiveFile } from '../domain/archive-names.ts'
import { invalid, ServiceError } from '../domain/errors.ts'
import { type AssetListRequest, assetQueryOf, listAssets } from './assets.ts'
import type { AccountContext, Context } from './context.ts'
import { isWithheld } from './downloads.ts'
import { unknownAssets } from './refusals.ts'

/** The assets of an archive: these, or all that match a filter. */
export type ArchiveSelection = { ids: string[] } | { filter: ArchiveFilter }
export type ArchiveFilter = Omit<AssetListRequest, 'sort' | 'page' | 'perPage' | 'after'>

/** The entries of an archive, as they are stored. */
const MAX_ARCHIVE_LENGTH = 32_000_000
const MAX_ARCHIVES = 100
const MAX_LENGTH_OF_ALL = 128_000_000
/** Longer than its URL is valid: the same request then returns the same archive, and its download resumes. */
const KEPT_FOR_MS = 7 * 24 * 3_600_000
/** Up to so many matches are found like a page of the list, by any index. More of them are found by reading all assets. */
const FEW_ASSETS = 1000
/** With more, the heap grows further before garbage is collected: 1,000 at once take 100 MB more than 250. */
const ASSETS_AT_ONCE = 250
/** How many files a refusal names. */
const MAX_NAMED = 20

/**
 * Fixes which files an archive consists of, and therefore its bytes. Repeating the call returns the same archive, unless
 * the files have changed since.
 */
export async function createArchive(
  context: AccountContext,
  selection: ArchiveSelection,
  { filename, keyId }: { filename: string; keyId: string | null },
): Promise<Archive> {
  const layout = createArchiveLayout()
  const nameFile = createArchiveNames()
  const refused: Refused[] = []
  const digest = createHash('sha256').update(JSON.stringify([filename, keyId]))
  let files = 0
  let links = 0
  for await (const assets of selectedAssets(context, selection)) {
    for (const archived of assets) {
      const file = await findFile(context, archived)
      if ('refusal' in file) {
        refused.push(file)
        continue
      }
      if (archived.file === undefined) links += 1
      else files += 1
      const entry = toEntry(file, nameFile)
      digest.update(JSON.stringify([entry.name, entry.size, entry.modifiedAt, entry.content]))
      layout.add(entry)
    }
    if (layout.length > MAX_ARCHIVE_LENGTH) throw tooLarge()
  }
  if (refused.length > 0) throw refuseFiles(refused)
  if (files + links === 0) throw invalid({ filter: ['matches no assets'] })
  const { bytes, segments } = layout.finish()
  const etag = createHash('sha256')
  for (const { content } of segments) etag.update(content)
  return context.data.addArchive(
    {
      id: context.newId(),
      filename,
      bytes,
      files,
      links,
      keyId,
      segments,
      selection: digest.digest('hex'),
      etag: etag.digest('base64url'),
    },
    {
      keptForMs: KEPT_FOR_MS,
      maxArchives: MAX_ARCHIVES,
      maxLength: MAX_LENGTH_OF_ALL,
    },
  )
}

function tooLarge(): ServiceError {
  const limit = `an archive has at most ${MAX_ARCHIVE_FILES.toLocaleString('en-US')} files`
  return invalid({ filter: [`selects too many assets: ${limit}`] })
}

/** The selected assets, some at a time, in the order of their IDs. */
async function* selectedAssets(
  context: AccountContext,
  selection: ArchiveSelection,
): AsyncIterable<ArchivedAsset[]> {
  const { data } = context
  if ('ids' in selection) {
    const ids = [...new Set(selection.ids)].sort()
    const assets = await data.findArchivedAssets(ids)
    const known = new Set(assets.map(({ asset }) => asset.id))
    const unknown = ids.filter((id) => !known.has(id))
    if (unknown.length > 0) throw unknownAssets(unknown)
    yield assets
    return
  }
  const ids = await selectIds(context, selection.filter)
  if (ids.length > MAX_ARCHIVE_FILES) throw tooLarge()
  ids.sort()
  for (let at = 0; at < ids.length; at += ASSETS_AT_ONCE) {
    // Assets that were deleted since are left out.
    yield await data.findArchivedAssets(ids.slice(at, at + ASSETS_AT_ONCE))
  }
}

async function selectIds(context: AccountContext, filter: ArchiveFilter): Promise<string[]> {
  const sort = { by: 'created_at', descending: false } as const
  const request = { ...filter, sort, page: 1, perPage: FEW_ASSETS }
  const { assets, position } = await listAssets(context, request)
  if (position.next === undefined) return assets.map(({ id }) => id)
  return context.data.selectAssets(assetQueryOf(request), MAX_ARCHIVE_FILES + 1)
}

/** One file or link of an archive. */
interface ArchivedFile {
  folder: string | null
  filename: string
  size: number
  modifiedAt: Date
  content: ArchiveEntry['content']
  crc32: number | undefined
}

interface Refused {
  refusal: 'damaged' | 'verifying'
  filename: string
}

/** Like `signDownload`: while the current version is withheld, this is the previous one. */
async function findFile(
  context: AccountContext,
  { asset, file }: ArchivedAsset,
): Promise<ArchivedFile | Refused> {
  const { path: folder, filename, integrity } = asset
  if (asset.url !== null) {
    // Windows and macOS open it in a browser.
    const text = `[InternetShortcut]\r\nURL=${new URL(asset.url).href}\r\n`
    return {
      folder,
      filename: `${filename}.url`,
      size: Buffer.byteLength(text),
      modifiedAt: asset.updatedAt,
      content: { text },
      crc32: crc32(text),
    }
  }
  if (file === undefined) throw new Error(`the asset ${asset.id} has no object`)
  if (!integrity.isDamaged && !isWithheld(context, integrity)) {
    const { key, chunkSize, createdAt: modifiedAt, crc32 } = file
    const content = { key, chunkSize }
    return { folder, filename, size: asset.bytes, modifiedAt, content, crc32 }
  }
  const served = isWithheld(context, integrity)
    ? await context.data.findServedVersion(asset.id)
    : undefined
  if (served === undefined || served.integrity.isDamaged) {
    return { refusal: integrity.isDamaged ? 'damaged' : 'verifying', filename }
  }
  const { key, chunkSize } = served
  return {
    folder,
    filename: served.filename,
    size: served.bytes,
    modifiedAt: served.createdAt,
    content: { key, chunkSize },
    crc32: undefined,
  }
}

function toEntry(file: ArchivedFile, nameFile: NameArchiveFile): ArchiveEntry {
  const { folder, filename, size, modifiedAt, content } = file
  // That of no bytes is 0.
  const known = size === 0 ? 0 : file.crc32
  return {
    name: nameFile(folder, filename),
    size,
    modifiedAt: Math.floor(modifiedAt.getTime() / 1000),
    content,
    crc32: known,
    hasDescriptor: known === undefined,
  }
}

function refuseFiles(refused: Refused[]): ServiceError {
  // Damage does not end without the user.
  const code = refused.some(({ refusal }) => refusal === 'damaged') ? 'damaged' : 'verifying'
  const names = named(refused.filter(({ refusal }) => refusal === code))
  return new ServiceError(
    code,
    code === 'damaged'
      ? `These files are damaged: ${names}. Replace them, restore other versions, or leave them out.`
      : `These files are being compared with their declared SHA-256: ${names}. Retry in a few seconds, or leave them out.`,
  )
}

/** The names of the first files, and the number of the others. */
function named(files: { filename: string }[]): string {
  const names = files.slice(0, MAX_NAMED).map(({ filename }) => filename)
  const others = files.length - names.length
  return names.join(', ') + (others > 0 ? ` and ${others} more` : '')
}

/** What the downloads of archives are read from. */
export function createArchiveSource({ database, warn }: Context): ArchiveSource {
  async function contentOf(id: string, number: number): Promise<string> {
    const content = await database.readArchiveSegment(id, number)
    if (content === undefined) throw archiveNotFound()
    return content
  }

  const areIntact = async (keys: string[]) =>
    (await database.countIntactObjects(keys)) === keys.length

  return {
    async open(id) {
      const archive = await database.findArchive(id)
      if (archive === undefined) throw archiveNotFound()
      if (archive.isRevoked) {
        throw new ServiceError(
          'forbidden',
          'The API key that created this archive was revoked or has expired. Create the archive again with another key.',
        )
      }
      return { ...archive, segments: await database.listArchiveSegments(id) }
    },

    async check({ id, segments }, from) {
      const missing: ArchiveEntry[] = []
      const damaged: ArchiveEntry[] = []
      for (const [index, segment] of segments.entries()) {
        const next = segments[index + 1]
        if (next !== undefined && next.start <= from) continue
        const content = await contentOf(id, segment.number)
        if (segment.start >= from && (await areIntact(storedKeys(content)))) continue
        const wanted = [...positionsOf(readStoredSegment(content), segment)]
          .filter(({ dataEnd }) => dataEnd > from)
          .map(({ entry }) => entry)
        const states = await database.readObjects(wanted.flatMap(keyOf))
        const byKey = new Map(states.map((state) => [state.key, state]))
        for (const entry of wanted) {
          const state = keyOf(entry).map((key) => byKey.get(key) ?? MISSING)[0]
          if (state?.isKept === false) missing.push(entry)
          else if (state?.isDamaged) damaged.push(entry)
        }
      }
      const nameAll = (entries: ArchiveEntry[]) =>
        named(entries.map(({ name }) => ({ filename: name })))
      if (missing.length > 0) {
        throw new ServiceError(
          'archive_outdated',
          `These files of the archive were deleted, or the version that it contains is no longer kept: ${nameAll(missing)}. Create the archive again, and download it from the start.`,
        )
      }
      if (damaged.length > 0) {
        throw new ServiceError(
          'damaged',
          `These files of the archive are damaged: ${nameAll(damaged)}. Replace them, restore other versions, or leave them out. Then create the archive again.`,
        )
      }
    },

    async readSegment(id, number) {
      const entries = readStoredSegment(await contentOf(id, number))
      const unknown = entries.filter(({ crc32 }) => crc32 === undefined).flatMap(keyOf)
      if (unknown.length === 0) return entries
      const states = await database.readObjects(unknown)
      const crcs = new Map(states.map(({ key, crc32 }) => [key, crc32]))
      return entries.map((entry) => ({
        ...entry,
        crc32: entry.crc32 ?? keyOf(entry).map((key) => crcs.get(key))[0],
      }))
    },

    async keepCrc32(key, crc) {
      await database.keepCrc32(key, crc).catch((error: unknown) => {
        warn(`could not store the CRC-32 of the object ${key}; it will be computed again`, error)
      })
    },
  }
}

const MISSING = { isKept: false, isDamaged: false }

/** None for the text of a link. */
function keyOf({ content }: ArchiveEntry): string[] {
  return 'key' in content ? [content.key] : []
}

function archiveNotFound(): ServiceError {
  return new ServiceError(
    'not_found',
    'There is no archive at this URL, or it is no longer kept. Create it again with POST /archives.',
  )
}

/** A URL of the archive, or the path and query of one if the API sends the archives itself. */
export async function signArchive(
  { storage, secretKey, settings, clock }: AccountContext,
  id: string,
): Promise<{ url: string; expiresAt: Date }> {
  const expiresAt = new Date(clock().getTime() + settings.signedForMs)
  const signed = await storage.signArchive(id, expiresAt)
  if (signed !== undefined) return signed
  const path = `/archives/${id}?expires=${Math.floor(expiresAt.getTime() / 1000)}`
  return { url: `${path}&signature=${signatureOf(secretKey, path)}`, expiresAt }
}

/** Checks a path that `signArchive` has returned. Throws a `ServiceError`. Returns the ID of the archive. */
export function readArchivePath({ secretKey, clock }: Context, url: string): string {
  const [, path = '', id = '', expires = '', signature = ''] =
    /^(\/archives\/([^/?]+)\?expires=(\d+))&signature=([\w-]+)$/.exec(url) ?? []
  const expected = Buffer.from(path === '' ? '' : signatureOf(secretKey, path))
  const given = Buffer.from(signature)
  if (path === '' || given.length !== expected.length || !timingSafeEqual(given, expected)) {
    throw new ServiceError(
      'signature_invalid',
      'The signature of this URL is invalid. Use the URL exactly as the service returned it.',
    )
  }
  const expiresAt = new Date(Number(expires) * 1000)
  if (expiresAt > clock()) return id
  throw new ServiceError(
    'url_expired',
    `This URL expired at ${expiresAt.toISOString()}. Request a new one with POST /archives.`,
  )
}

function signatureOf(secretKey: SecretKey, path: string): string {
  return Buffer.from(secretKey.derive(`GET ${path}`)).toString('base64url')
}
