const UNITS = ['B', 'kB', 'MB', 'GB', 'TB', 'PB']

/** In decimal units, three digits at the most: `1.5 MB`, `250 MB`. */
export function sizeText(bytes: number): string {
  let value = bytes
  let unit = 0
  while (unit < UNITS.length - 1 && Number(value.toPrecision(3)) >= 1000) {
    value /= 1000
    unit += 1
  }
  return `${numberText(Number(value.toPrecision(3)))} ${UNITS[unit]}`
}

const NUMBER = new Intl.NumberFormat()

/** With the reader's own separators: `1,234,567`. */
export function numberText(value: number): string {
  return NUMBER.format(value)
}

/** `1 file`, `2 files`. */
export function countText(count: number, one: string, many = `${one}s`): string {
  return `${numberText(count)} ${count === 1 ? one : many}`
}
