const NUMBER = new Intl.NumberFormat()

/** With the separators of the reader's language: `1,234,567`. */
export function numberText(value: number): string {
  return NUMBER.format(value)
}

/** `1 file`, `2 files`. */
export function countText(count: number, singular: string, plural = `${singular}s`): string {
  return `${numberText(count)} ${count === 1 ? singular : plural}`
}
