import type { Asset, Product, Version } from '@stowage/protocol'
import type { Context } from '@stowage/server/src/operations/context'
import { storageUploadOf } from '@stowage/server/src/operations/uploads/in-storage'
import type { TestAccount } from '@stowage/testing/service/accounts'
import type { TestService } from '@stowage/testing/service/service'
import { API } from '@stowage/testing/service/upload'
import { finishBulk, modelsWithBulk } from './bulk-rules.ts'
import { type Filters, queryOf } from './commands.ts'
import { finishMoves } from './folder-rules.ts'
import { matchingAssets } from './list-rules.ts'
import {
  bytesIn,
  digestOf,
  type Model,
  type ModelUpload,
  type ModelVersion,
  readyUploads,
  servedVersion,
  sha256,
  withComparedFiles,
} from './model.ts'
import { finishDeletion } from './trash-rules.ts'

const FINAL_FILTERS: Filters[] = [
  { search: 'PACK loops' },
  { search: 'press', type: 'file' },
  { search: 'zip', path: 'a' },
  { sku: 'SKU-3' },
  { product_id: 1 },
  { attached: false },
  { tag: 'SALE' },
  { tag: 'new', type: 'file' },
]

/** The state of an account, as seen through the API and in its storage. */
export interface State {
  assets: {
    id: string
    name: string
    path: string | null
    tags: string[]
    bytes: number
    variants: number[]
    sha256: string
    /** All versions with their content, the highest number first. */
    versions: { version: number; bytes: number; sha256: string }[]
  }[]
  /** The assets that each of `FINAL_FILTERS` finds. */
  found: string[][]
  stored: number
  reserved: number
  /** The assets in the trash, and their bytes. */
  trashed: string[]
  trash: number
  /** Uploads that are open in the storage, with the ETags of their parts. */
  open: { id: string; etags: string[] }[]
  /** Assets whose first version has an object in the storage that is not queued for removal. */
  objects: string[]
  /** Counters that differ from the sums over the rows. */
  wrongCounters: unknown[]
}

/** Of the uploads in the storage, reads only these. The others belong to other accounts. */
export async function readState(
  { context, baseUrl }: Pick<TestService, 'context' | 'baseUrl'>,
  account: TestAccount,
  uploads: Pick<ModelUpload, 'id' | 'replaces'>[],
): Promise<State> {
  const ids = uploads.filter(({ replaces }) => replaces === undefined).map(({ id }) => id)
  const { body } = await account.call(
    'GET',
    `${API}/assets?limit=1000&type=file&with_products=true`,
  )
  const found = FINAL_FILTERS.map(async (filters) => {
    const list = await account.call('GET', `${API}/assets?${queryOf(filters)}`)
    return (list.body.data as Asset[]).map(({ id }) => id).sort()
  })
  const { body: trashed } = await account.call('GET', `${API}/assets?limit=1000&trashed=true`)
  const { data: summary } = (await account.call('GET', `${API}/account`)).body
  const assets = body.data.map(async (asset: Asset & { products: Product[] }) => ({
    id: asset.id,
    name: asset.filename,
    path: asset.path,
    tags: asset.tags,
    bytes: asset.bytes,
    variants: asset.products.map(({ variant_id }) => variant_id).sort(),
    sha256: await digestAt(`${baseUrl}${API}/assets/${asset.id}/download`, account),
    versions: await readVersions(`${baseUrl}${API}`, asset.id, account),
  }))
  const modelIds = await idsByKey(context, account, uploads)
  const open = []
  for await (const upload of context.storage.listUploads()) {
    const id = modelIds.get(upload.key)
    if (id === undefined) continue
    const parts = (await context.storage.listParts(upload)) ?? []
    open.push({ id, etags: parts.map(({ etag }) => etag) })
    modelIds.delete(upload.key)
  }
  // After a restart, the disk storage accepts parts of an upload that has none yet, but does not list it.
  for (const [key, id] of modelIds) {
    const upload = await context.database.of(account.id).findUpload(key)
    if (upload?.status !== 'uploading') continue
    const parts = await context.storage.listParts(storageUploadOf(upload))
    if (parts !== undefined) open.push({ id, etags: parts.map(({ etag }) => etag) })
  }
  const objects = await Promise.all(ids.map((id) => context.storage.findObject(id)))
  const removals = await context.database.listRemovals(100_000)
  const removed = new Set(removals.map(({ key }) => key))
  const usage = await context.database.compareUsage()
  return {
    assets: byId(await Promise.all(assets)),
    found: await Promise.all(found),
    stored: summary.stored,
    reserved: summary.reserved,
    trashed: trashed.data.map(({ id }: Asset) => id).sort(),
    trash: summary.trash,
    open: byId(open),
    objects: ids.filter((id, index) => objects[index] !== undefined && !removed.has(id)).sort(),
    wrongCounters: usage.filter(
      ({ counted, actual, wrongTags }) =>
        JSON.stringify(counted) !== JSON.stringify(actual) || wrongTags > 0,
    ),
  }
}

/** The IDs of the uploads in the model, by the keys of their objects. */
async function idsByKey(
  { database }: Context,
  account: TestAccount,
  uploads: Pick<ModelUpload, 'id' | 'replaces'>[],
): Promise<Map<string, string>> {
  const data = database.of(account.id)
  const pairs = uploads.map(async ({ id, replaces }): Promise<[string, string]> => {
    const key = replaces && (await data.findReplacement(replaces, id))?.asset.id
    return [key ?? id, id]
  })
  return new Map(await Promise.all(pairs))
}

async function readVersions(base: string, id: string, account: TestAccount) {
  const { body } = await account.call('GET', `${API}/assets/${id}/versions`)
  const versions = (body.data as Version[]).map(async ({ version, bytes, checksum }) => {
    const read = await digestAt(`${base}/assets/${id}/versions/${version}/download`, account)
    const isWrong = checksum !== null && checksum.sha256 !== read
    return { version, bytes, sha256: isWrong ? `${read}, but shown as ${checksum.sha256}` : read }
  })
  return Promise.all(versions)
}

/** The possible states after all jobs have run. */
export function expectedStates(models: Model[]): State[] {
  return models.flatMap(modelsWithBulk).map(expectedState)
}

function expectedState(before: Model): State {
  const model = withComparedFiles(finishBulk(finishMoves(finishDeletion(before))))
  const ready = byId(readyUploads(model))
  const trashed = byId(model.uploads.filter(({ status }) => status === 'trashed'))
  const uploading = byId(model.uploads.filter(({ status }) => status === 'uploading'))
  return {
    assets: ready.map((upload) => ({
      id: upload.id,
      name: upload.name,
      path: upload.path,
      tags: upload.tags ?? [],
      bytes: upload.size,
      variants: upload.variants,
      sha256: digestOfDownload(servedVersion(upload)),
      versions: [upload, ...upload.older]
        .toSorted((a, b) => b.version - a.version)
        .map((one) => ({
          version: one.version,
          bytes: one.size,
          sha256: digestOfDownload(one.isWithheld ? undefined : one),
        })),
    })),
    found: FINAL_FILTERS.map((filters) => matchingAssets(model, filters).sort()),
    stored: bytesIn(model, 'ready'),
    reserved: bytesIn(model, 'uploading'),
    trashed: trashed.map(({ id }) => id),
    trash: bytesIn(model, 'trashed'),
    open: uploading.map(({ id, parts }) => ({ id, etags: parts.map(({ etag }) => etag) })),
    objects: byId([...ready, ...trashed])
      .filter((upload) => [upload, ...upload.older].some(({ version }) => version === 1))
      .map(({ id }) => id),
    wrongCounters: [],
  }
}

async function digestAt(url: string, { keys }: TestAccount): Promise<string> {
  const headers = { Authorization: `Bearer ${keys.read.secret}` }
  const response = await fetch(url, { headers })
  const bytes = Buffer.from(await response.arrayBuffer())
  return response.status === 200 ? sha256(bytes) : `HTTP ${response.status}`
}

/** A version that is withheld from downloads is refused. */
function digestOfDownload(version: ModelVersion | undefined): string {
  return version === undefined ? 'HTTP 409' : digestOf(version)
}

function byId<Thing extends { id: string }>(things: Thing[]): Thing[] {
  return things.toSorted((a, b) => (a.id < b.id ? -1 : 1))
}
