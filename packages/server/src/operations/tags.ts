import { MAX_ASSET_TAGS } from '@stowage/protocol'
import type { Tag, TagOutcome, TagQuery } from '../database/tag-data.ts'
import { invalid } from '../domain/errors.ts'
import { type PagePosition, pagePosition, positionAfterCursor } from '../domain/paging.ts'
import { foldText } from '../domain/search.ts'
import { normalizeTags } from '../domain/tags.ts'
import type { AccountContext } from './context.ts'
import { tooManyTags, unknownAssets } from './refusals.ts'

/** An empty search means no search. */
export interface TagListRequest extends Omit<TagQuery, 'name'> {
  search?: string | undefined
}

export async function listTags(
  { data }: AccountContext,
  { search, ...request }: TagListRequest,
): Promise<{ tags: Tag[]; position: PagePosition }> {
  const query = { ...request, ...(search && { name: foldText(search) }) }
  const { after, perPage } = query
  // One more row shows whether another page follows.
  const more = after === undefined ? 0 : 1
  const { rows: found, total } = await data.listTags({ ...query, perPage: perPage + more })
  const tags = found.slice(0, perPage)
  const plain = pagePosition(query, total)
  const hasNext = after === undefined ? plain.next !== undefined : found.length > tags.length
  const last = tags.at(-1)
  const nextAfter = hasNext && last ? tagCursorText(last) : undefined
  const position =
    after === undefined ? { ...plain, nextAfter } : positionAfterCursor(query, { total, nextAfter })
  return { tags, position }
}

/** The cursor of a tag in the list of tags. */
function tagCursorText({ folded }: Tag): string {
  return Buffer.from(folded).toString('base64url')
}

/** Adds the tags to each of the assets, or to none of them. Returns the IDs of those that have changed. */
export async function tagAssets(
  { dataOfCall }: AccountContext,
  ids: string[],
  tags: string[],
): Promise<string[]> {
  return changedBy(await dataOfCall().tagAssets(ids, normalizeTags(tags)))
}

/** Removes the tags from each of the assets, or from none of them. Returns the IDs of those that have changed. */
export async function untagAssets(
  { dataOfCall }: AccountContext,
  ids: string[],
  tags: string[],
): Promise<string[]> {
  return changedBy(await dataOfCall().untagAssets(ids, normalizeTags(tags)))
}

function changedBy(result: TagOutcome): string[] {
  if (result.outcome === 'assets_not_found') throw unknownAssets(result.unknown)
  if (result.outcome === 'too_many_tags') throw tooManyTags()
  if (result.outcome === 'assets_full') {
    const problem = `contains assets that would have more than ${MAX_ASSET_TAGS} tags: ${result.ids.join(', ')}`
    throw invalid({ ids: [problem] })
  }
  return result.changed.map(({ id }) => id)
}
