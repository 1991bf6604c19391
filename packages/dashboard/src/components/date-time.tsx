import { Text, type TextProps } from '@mantine/core'

const WHOLE = new Intl.DateTimeFormat(undefined, { dateStyle: 'full', timeStyle: 'long' })
const SHORT = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' })
const DAY = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' })

interface Props extends TextProps {
  /** ISO 8601 */
  at: string
  isDay?: boolean
}

/** A time in the reader's own zone; whoever points at it is told all of it. */
export function Moment({ at, isDay = false, ...props }: Props) {
  const date = new Date(at)
  return (
    <Text component="time" inherit {...props} dateTime={at} title={WHOLE.format(date)}>
      {(isDay ? DAY : SHORT).format(date)}
    </Text>
  )
}
