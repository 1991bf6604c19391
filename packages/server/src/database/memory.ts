/**
 * Keeps values by a key, as long as they weigh no more than `most` together. Those that were not
 * asked for lately are forgotten first.
 */
export function openMemory<Value>(options: { most: number; weightOf(value: Value): number }) {
  const kept = new Map<string, { value: Value; weight: number }>()
  let total = 0

  function forget(key: string): void {
    total -= kept.get(key)?.weight ?? 0
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
      const weight = options.weightOf(value)
      kept.set(key, { value, weight })
      total += weight
      for (const oldest of kept.keys()) {
        if (total <= options.most) break
        forget(oldest)
      }
    },
  }
}
