import { type Asset, type AssetPage, isStowageError, type NodeClient } from '@stowage/client/node'
import { type Connection, toCommandError } from './connection.ts'
import { PAGE_SIZE, writeItem, writeMessage } from './output.ts'
import { sanitize } from './terminal/sanitize.ts'
import { CommandFailed, omitUndefined, UsageError } from './usage.ts'

export const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** There is no asset with this ID or name. */
export class AssetNotFound extends CommandFailed {}

const MAX_CANDIDATES = 10

/**
 * The asset with this ID, or the only asset with this file name. If no name matches exactly, case is ignored.
 * Throws `CommandFailed`, with the candidates, if no asset or more than one asset matches.
 */
export async function getAsset(
  client: NodeClient,
  wanted: string,
  query: { with_products?: boolean } = {},
): Promise<Asset> {
  if (UUID.test(wanted)) return getById(client, wanted, query)
  return chooseByName(
    await client
      .assets({ ...query, filename: wanted, exact_total: false, limit: PAGE_SIZE })
      .page(),
    wanted,
  )
}

/** An asset in the trash, found like `getAsset`. */
export async function getTrashedAsset(client: NodeClient, wanted: string): Promise<Asset> {
  if (!UUID.test(wanted)) {
    return chooseByName(await client.trash({ filename: wanted, limit: PAGE_SIZE }).page(), wanted)
  }
  for await (const asset of client.trash()) {
    if (asset.id === wanted.toLowerCase()) return asset
  }
  throw new CommandFailed(`There is no asset with the ID ${wanted} in the trash.`)
}

function chooseByName({ data, meta }: AssetPage, wanted: string): Asset {
  if (meta.total > data.length) {
    throw new CommandFailed(
      `${meta.total_is_exact === false ? `At least ${meta.total_at_least}` : meta.total} names contain ${sanitize(wanted)}, which is too many to search. Pass the ID of the asset: stowage ls lists the IDs, and stowage trash ls those in the trash.`,
    )
  }
  const exact = data.filter(({ filename }) => filename === wanted)
  const same = exact.length > 0 ? exact : data.filter(({ filename }) => isSame(filename, wanted))
  const [asset, ...more] = same
  if (asset === undefined) {
    throw new AssetNotFound(
      `There is no asset named ${sanitize(wanted)}.${candidates(data, 'Similar names')}`,
    )
  }
  if (more.length > 0) {
    throw new CommandFailed(
      `${same.length} assets are named ${sanitize(wanted)}.${candidates(same, 'Pass one of these IDs')}`,
    )
  }
  return asset
}

/**
 * Finds all assets before the command changes the first one. Duplicates are removed. With `trashed`, assets that
 * are not found are searched for in the trash.
 */
export async function getAssets(
  client: NodeClient,
  wanted: string[],
  {
    trashed = false,
    patterns = false,
    ...query
  }: { with_products?: boolean; trashed?: boolean; patterns?: boolean } = {},
): Promise<Asset[]> {
  const found = new Map<string, Asset>()
  for (const one of wanted) {
    const matches = patterns ? await findMatches(client, one, { trashed, ...query }) : []
    for (const asset of matches) found.set(asset.id, asset)
    if (matches.length > 0) continue
    const asset = await getAsset(client, one, query).catch((error) => {
      // The asset may be in the trash.
      if (trashed && error instanceof AssetNotFound) return getTrashedAsset(client, one)
      throw error
    })
    found.set(asset.id, asset)
  }
  return [...found.values()]
}

/**
 * The assets whose name matches a pattern with `*` and `?`, or whose folder and name do if the pattern has a `/`. Empty if
 * it is no pattern, or if an asset has exactly this name.
 */
async function findMatches(
  client: NodeClient,
  pattern: string,
  { trashed, ...query }: { with_products?: boolean; trashed: boolean },
): Promise<Asset[]> {
  if (!/[*?]/.test(pattern)) return []
  const text = pattern.replace(/[.+^${}()|[\]\\]/g, '\\$&')
  const source = text.replaceAll('**', '\0').replaceAll('*', '[^/]*').replaceAll('?', '[^/]')
  const expression = new RegExp(`^${source.replaceAll('\0', '.*')}$`, 'su')
  const isMatch = (asset: Asset) =>
    expression.test(pattern.includes('/') ? fullName(asset) : asset.filename)
  // The service searches for the longest part of the name that has no wildcard.
  const literals = (pattern.split('/').at(-1) ?? '').split(/[*?]/)
  const filename = literals.toSorted((one, other) => other.length - one.length)[0] || undefined
  const filter = omitUndefined({ filename })
  const lists = [
    client.assets({ ...query, ...filter, exact_total: false }),
    ...(trashed ? [client.trash(filter)] : []),
  ]
  const matches: Asset[] = []
  for (const list of lists) {
    for await (const asset of list) {
      if (asset.filename === pattern) return []
      if (isMatch(asset)) matches.push(asset)
    }
  }
  if (matches.length === 0) throw new CommandFailed(`No asset matches ${sanitize(pattern)}.`)
  return matches
}

async function getById(
  client: NodeClient,
  id: string,
  query: { with_products?: boolean },
): Promise<Asset> {
  try {
    return await client.asset(id, query)
  } catch (error) {
    if (isStowageError(error, 'not_found'))
      throw new AssetNotFound(`There is no asset with the ID ${id}.`)
    throw error
  }
}

/** Compares names without regard to case and Unicode normalization. */
function isSame(one: string, other: string): boolean {
  const fold = (text: string) => text.normalize('NFC').toLowerCase()
  return fold(one) === fold(other)
}

function candidates(assets: Asset[], title: string): string {
  if (assets.length === 0) return ''
  const shown = assets.slice(0, MAX_CANDIDATES)
  const lines = shown.map(
    ({ id, size, created_at, ...file }) =>
      `\n  ${sanitize(`${id}  ${fullName(file)}  ${size}  ${created_at.slice(0, 10)}`)}`,
  )
  const more = assets.length - shown.length
  return ` ${title}:${lines.join('')}${more > 0 ? `\n  and ${more} more` : ''}`
}

/**
 * Calls `work` with one asset after the other. A failure is reported with the name of the asset (with
 * `--json`, as `{asset, error}`), and does not stop the rest. Returns the exit code.
 */
export async function forEachAsset(
  assets: Iterable<Asset> | AsyncIterable<Asset>,
  { connection, json }: { connection: Connection; json: boolean },
  work: (asset: Asset) => Promise<void>,
): Promise<number> {
  let code = 0
  for await (const asset of assets) {
    try {
      await work(asset)
    } catch (caught) {
      const error = toCommandError(caught, connection)
      if (!(error instanceof CommandFailed)) throw error
      code = 1
      writeMessage(`stowage: ${sanitize(asset.filename)}: ${error.message}`)
      if (json) writeItem({ asset, error: problemOf(error) }, { json, text: '' })
    }
  }
  return code
}

function problemOf({ message, cause }: CommandFailed): { code: string; message: string } {
  return { code: isStowageError(cause) ? cause.code : 'failed', message }
}

/** The options that select assets, for `ls`, `get` and `verify`. */
export const FILTER_OPTIONS = {
  search: { type: 'string' },
  path: { type: 'string' },
  attached: { type: 'boolean' },
  unattached: { type: 'boolean' },
  sku: { type: 'string' },
  tag: { type: 'string' },
} as const

export const FILTER_HELP = `  --search      words in any order; each must be in the file name, in the folder, or in the name,
                variant, SKU or vendor of an attached product
  --path        only assets in this folder and below it, such as course/
  --attached    only assets that are attached to a product
  --unattached  only assets that are not attached to a product
  --sku         only assets of products with exactly this SKU
  --tag         only assets with this tag`

type FilterValues = { [Name in keyof typeof FILTER_OPTIONS]?: string | boolean | undefined }

/** Checks a command line without `--all`: throws if it has a filter or one of `options`, which need `--all`. */
export function refuseWithoutAll(values: object, options: string[] = []): void {
  const onlyWithAll = [...Object.keys(FILTER_OPTIONS), ...options]
  const passed = onlyWithAll.find((name) => Object.hasOwn(values, name))
  if (passed !== undefined) {
    throw new UsageError(`--${passed} needs --all. Pass either --all or names.`)
  }
}

/** The parameters of the API for these options. */
export function readFilters(values: FilterValues) {
  const { attached = false, unattached = false } = values
  if (attached && unattached) throw new UsageError('Pass either --attached or --unattached.')
  return omitUndefined({
    search: values.search as string | undefined,
    path: values.path as string | undefined,
    attached: attached || unattached ? attached === true : undefined,
    sku: values.sku as string | undefined,
    tag: values.tag as string | undefined,
  })
}

/** The name with the folder of the asset, because files in different folders may have the same name. */
export function fullName({ filename, path }: { filename: string; path?: string | null }): string {
  return path ? `${path}/${filename}` : filename
}
