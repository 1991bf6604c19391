const TWO_DIGITS = Array.from({ length: 60 }, (_, number) => String(number).padStart(2, '0'))

/** Returns the same text as `toISOString` in a third of the time: every row of a list has timestamps. */
export function formatTimestamp(date: Date): string {
  const year = date.getUTCFullYear()
  // `toISOString` pads or signs years of other lengths, and throws for an invalid date.
  if (!(year >= 1000 && year <= 9999)) return date.toISOString()
  const month = TWO_DIGITS[date.getUTCMonth() + 1]
  const day = TWO_DIGITS[date.getUTCDate()]
  const hours = TWO_DIGITS[date.getUTCHours()]
  const minutes = TWO_DIGITS[date.getUTCMinutes()]
  const seconds = TWO_DIGITS[date.getUTCSeconds()]
  const milliseconds = String(date.getUTCMilliseconds()).padStart(3, '0')
  return `${year}-${month}-${day}T${hours}:${minutes}:${seconds}.${milliseconds}Z`
}
