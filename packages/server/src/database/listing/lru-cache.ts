/** What an entry takes beside its key and value. */
const ENTRY_BYTES = 200
/** A text takes one or two bytes a character; the larger is counted. */
const CHARACTER_BYTES = 2

/**
 * Keeps values by a key, as long as keys and values take no more than `mostBytes` together. Those that
 * were not asked for lately are forgotten first.
 */
export function openMemory<Value>(options: { mostBytes: number; bytesOf(value: Value): number }) {
  const kept = new Map<string, { value: Value; bytes: number }>()
  let total = 0

  function forget(key: string): void {
    total -= kept.get(key)?.bytes ?? 0
    kept.delete(key)
  }

  return {
    find(key: string): Value | undefined {
      const entry = kept.get(key)
      if (entry === undefined) return undefined
      kept.delete(key)
      kept.set(key, entry)
      return entry.value
    },

    keep(key: string, value: Value): void {
      forget(key)
      const bytes = ENTRY_BYTES + CHARACTER_BYTES * key.length + options.bytesOf(value)
      kept.set(key, { value, bytes })
      total += bytes
      for (const oldest of kept.keys()) {
        if (total <= options.mostBytes) break
        forget(oldest)
      }
    },
  }
}
