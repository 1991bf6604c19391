/** The largest accepted difference between the clocks of an instance and of the database. */
const MAX_SKEW_MS = 30_000

/** Such as `3600 s ahead of the database’s`; undefined if the difference is acceptable. */
export function skewText(skewMs: number): string | undefined {
  if (Math.abs(skewMs) <= MAX_SKEW_MS) return undefined
  const seconds = Math.round(Math.abs(skewMs) / 1000)
  return `${seconds} s ${skewMs > 0 ? 'ahead of' : 'behind'} the database’s`
}
