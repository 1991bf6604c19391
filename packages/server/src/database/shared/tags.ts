import type { Tag } from '../tag-data.ts'
import { fromJson, type Json } from './rows.ts'

/** A tag, and the tags of its oldest ready asset. */
export interface TagRow {
  tag: string
  assets: number
  tags: Json<string[]> | null
  search_tags: Json<string[]> | null
}

export function toTag({ tag, assets, tags, search_tags }: TagRow): Tag {
  const position = fromJson(search_tags ?? []).indexOf(tag)
  return { name: fromJson(tags ?? [])[position] ?? tag, assets, folded: tag }
}
