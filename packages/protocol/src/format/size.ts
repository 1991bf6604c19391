const UNITS = ['B', 'kB', 'MB', 'GB', 'TB', 'PB'] as const
const STEP = 1000

/** Formats bytes in decimal units with at most one decimal place: `1.2 MB`, `250 MB`. */
export function formatSize(bytes: number): string {
  let value = bytes
  let unit = 0
  // Round before comparing: 999,960 bytes are "1 MB", not "1000 kB".
  while (roundToTenth(value) >= STEP && unit < UNITS.length - 1) {
    value /= STEP
    unit += 1
  }
  return `${roundToTenth(value)} ${UNITS[unit]}`
}

function roundToTenth(value: number): number {
  return Math.round(value * 10) / 10
}

const FACTORS: Record<string, number> = {
  '': 1,
  b: 1,
  kb: 1e3,
  mb: 1e6,
  gb: 1e9,
  tb: 1e12,
  pb: 1e15,
  kib: 2 ** 10,
  mib: 2 ** 20,
  gib: 2 ** 30,
  tib: 2 ** 40,
  pib: 2 ** 50,
}

/** Parses `1TB`, `1.5 GB`, `512MiB` or a number of bytes. Returns undefined for any other text. */
export function parseSize(text: string): number | undefined {
  const match = /^\s*(\d+(?:\.\d+)?)\s*([a-z]*)\s*$/i.exec(text)
  const factor = FACTORS[match?.[2]?.toLowerCase() ?? '?']
  if (match === null || factor === undefined) return undefined
  // There are no fractions of a byte.
  if (factor === 1 && match[1]?.includes('.')) return undefined
  const bytes = Math.round(Number(match[1]) * factor)
  return Number.isSafeInteger(bytes) ? bytes : undefined
}
