/** Clocks of instances and of the database may differ by this much. */
export const MOST_SKEW_MS = 30_000

/** `3600 s ahead of the database’s`; undefined when it is near enough. */
export function skewText(skewMs: number): string | undefined {
  if (Math.abs(skewMs) <= MOST_SKEW_MS) return undefined
  const seconds = Math.round(Math.abs(skewMs) / 1000)
  return `${seconds} s ${skewMs > 0 ? 'ahead of' : 'behind'} the database’s`
}
