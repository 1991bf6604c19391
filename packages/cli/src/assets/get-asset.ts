import { type Asset, isStowageError, type NodeClient } from '@stowage/client/node'
import { sanitize } from '../text/sanitize.ts'
import { CommandFailed } from '../usage.ts'

export const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

const MOST_CANDIDATES = 10
/** The largest there is. */
const PAGE = 1000

/**
 * The asset of this id, or of this name when only one has it. The whole name counts, and its case
 * only where it makes a difference. Throws `CommandFailed` with the candidates otherwise.
 */
export async function getAsset(
  client: NodeClient,
  wanted: string,
  query: { with_products?: boolean } = {},
): Promise<Asset> {
  if (UUID.test(wanted)) return getById(client, wanted, query)
  const { data, meta } = await client.assets({ ...query, filename: wanted, limit: PAGE }).page()
  if (meta.total > data.length) {
    throw new CommandFailed(
      `${meta.total} names have ${sanitize(wanted)} in them, too many to tell which is meant: say it by its id (stowage ls NAME)`,
    )
  }
  const exact = data.filter(({ filename }) => filename === wanted)
  const same = exact.length > 0 ? exact : data.filter(({ filename }) => isSame(filename, wanted))
  const [asset, ...more] = same
  if (asset === undefined) {
    throw new CommandFailed(
      `there is no asset called ${sanitize(wanted)}${candidates(data, 'Near it')}`,
    )
  }
  if (more.length > 0) {
    throw new CommandFailed(
      `${sanitize(wanted)} is the name of ${same.length}; say which by its id${candidates(same, 'They are')}`,
    )
  }
  return asset
}

/** All of them, before anything is done to any. One that is named twice is there once. */
export async function getAssets(
  client: NodeClient,
  wanted: string[],
  query: { with_products?: boolean } = {},
): Promise<Asset[]> {
  const found = new Map<string, Asset>()
  for (const one of wanted) {
    const asset = await getAsset(client, one, query)
    found.set(asset.id, asset)
  }
  return [...found.values()]
}

async function getById(
  client: NodeClient,
  id: string,
  query: { with_products?: boolean },
): Promise<Asset> {
  try {
    return await client.asset(id, query)
  } catch (error) {
    if (isStowageError(error, 'not_found')) throw new CommandFailed(`there is no asset ${id}`)
    throw error
  }
}

/** In any case, and however its accents are put together. */
function isSame(one: string, other: string): boolean {
  const fold = (text: string) => text.normalize('NFC').toLowerCase()
  return fold(one) === fold(other)
}

function candidates(assets: Asset[], title: string): string {
  if (assets.length === 0) return ''
  const shown = assets.slice(0, MOST_CANDIDATES)
  const lines = shown.map(
    ({ id, filename, size, created_at }) =>
      `\n  ${sanitize(`${id}  ${filename}  ${size}  ${created_at.slice(0, 10)}`)}`,
  )
  const more = assets.length - shown.length
  return `. ${title}:${lines.join('')}${more > 0 ? `\n  and ${more} more` : ''}`
}
