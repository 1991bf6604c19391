const FULL = new Intl.DateTimeFormat(undefined, { dateStyle: 'full', timeStyle: 'long' })
const SHORT = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' })
const DATE_ONLY = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' })

interface Props {
  /** ISO 8601 */
  value: string
  isDateOnly?: boolean
}

/** A time in the reader's time zone. The tooltip shows it in full. */
export function DateTime({ value, isDateOnly = false }: Props) {
  const date = new Date(value)
  return (
    <time dateTime={value} title={FULL.format(date)}>
      {(isDateOnly ? DATE_ONLY : SHORT).format(date)}
    </time>
  )
}
