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

/** For people: `45 s`, `90 min`, `12 h`, `7 d`. */
export function durationText(milliseconds: number): string {
  const seconds = Math.round(milliseconds / 1000)
  if (seconds < 120) return `${seconds} s`
  if (seconds < 120 * 60) return `${Math.round(seconds / 60)} min`
  if (seconds < 48 * 3600) return `${Math.round(seconds / 3600)} h`
  return `${Math.round(seconds / 86_400)} d`
}
