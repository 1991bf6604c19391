/** Whether a statement read at most half of what it may read; then the next reads twice as many. */
export function isHalfEmpty(found: Map<string, unknown[]>, most: number): boolean {
  const rows = [...found.values()].reduce((sum, list) => sum + list.length, 0)
  return rows * 2 <= most
}
