import { LRUCache } from 'lru-cache'

/** The size of an entry without its key and value. */
const ENTRY_BYTES = 200
/** V8 stores one or two bytes per character; assume two. */
const CHARACTER_BYTES = 2

/** A cache that evicts the least recently used entries when keys and values exceed `maxBytes` in total. */
export function openLruCache<Value extends object>(options: {
  maxBytes: number
  bytesOf(value: Value): number
}): LRUCache<string, Value> {
  return new LRUCache({
    maxSize: options.maxBytes,
    sizeCalculation: (value: Value, key: string) =>
      ENTRY_BYTES + CHARACTER_BYTES * key.length + options.bytesOf(value),
  })
}
