/** Whether a statement found at most half as many rows as it may read. The next statement then covers twice as much. */
export function isHalfEmpty(found: Map<string, unknown[]>, most: number): boolean {
  const rows = [...found.values()].reduce((sum, list) => sum + list.length, 0)
  return rows * 2 <= most
}
