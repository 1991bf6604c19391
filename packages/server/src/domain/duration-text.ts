const UNITS: Record<string, number> = {
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
}

/** Reads `90s`, `30m`, `12h` or `7d` as milliseconds; undefined when it is none of them. */
export function parseDurationText(text: string): number | undefined {
  const match = /^\s*(\d+)\s*([smhd])\s*$/.exec(text)
  const unit = UNITS[match?.[2] ?? '']
  return match === null || unit === undefined ? undefined : Number(match[1]) * unit
}
