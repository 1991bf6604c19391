const NUMBER = new Intl.NumberFormat()

/** Formats a number with the separators of the reader's locale: `1,234,567`. */
export function numberText(value: number): string {
  return NUMBER.format(value)
}

/** `1 file`, `2 files`. */
export function countText(count: number, one: string, many = `${one}s`): string {
  return `${numberText(count)} ${count === 1 ? one : many}`
}
