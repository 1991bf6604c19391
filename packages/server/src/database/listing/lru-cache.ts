/** The size of an entry without its key and value. */
const ENTRY_BYTES = 200
/** V8 stores one or two bytes per character; assume two. */
const CHARACTER_BYTES = 2

/**
 * A cache that evicts the least recently used entries when keys and values exceed `maxBytes` in
 * total.
 */
export function openLruCache<Value>(options: { maxBytes: number; bytesOf(value: Value): number }) {
  const entries = new Map<string, { value: Value; bytes: number }>()
  let total = 0

  function remove(key: string): void {
    total -= entries.get(key)?.bytes ?? 0
    entries.delete(key)
  }

  return {
    get(key: string): Value | undefined {
      const entry = entries.get(key)
      if (entry === undefined) return undefined
      entries.delete(key)
      entries.set(key, entry)
      return entry.value
    },

    set(key: string, value: Value): void {
      remove(key)
      const bytes = ENTRY_BYTES + CHARACTER_BYTES * key.length + options.bytesOf(value)
      entries.set(key, { value, bytes })
      total += bytes
      for (const oldest of entries.keys()) {
        if (total <= options.maxBytes) break
        remove(oldest)
      }
    },
  }
}
