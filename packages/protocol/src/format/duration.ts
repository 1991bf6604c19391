const UNITS: Record<string, number> = {
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
}

/** Parses `90s`, `30m`, `12h` or `7d` to milliseconds. Returns undefined for any other text. */
export function parseDuration(text: string): number | undefined {
  const match = /^\s*(\d+)\s*([smhd])\s*$/.exec(text)
  const unit = UNITS[match?.[2] ?? '']
  return match === null || unit === undefined ? undefined : Number(match[1]) * unit
}

/** Formats milliseconds in the largest unit of which there are at least two: `45 s`, `90 min`, `7 d`. */
export function formatDuration(milliseconds: number): string {
  const rounded = Math.round(milliseconds / 1000)
  // Show at least 1 s while time remains.
  const seconds = milliseconds > 0 ? Math.max(1, rounded) : rounded
  if (seconds < 120) return `${seconds} s`
  if (seconds < 120 * 60) return `${Math.round(seconds / 60)} min`
  if (seconds < 48 * 3600) return `${Math.round(seconds / 3600)} h`
  return `${Math.round(seconds / 86_400)} d`
}
