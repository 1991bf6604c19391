import { Text, type TextProps } from '@mantine/core'
import { dateText } from '../format.ts'
import classes from './values.module.css'

interface NameProps extends TextProps {
  children: string
  /** On a phone, it takes up to three lines. */
  isWrapped?: boolean
  /** It is never truncated, such as an SKU: SKUs often differ only at their ends. */
  isWhole?: boolean
}

/**
 * A name that a user has chosen, in any script, writing direction and length. It is truncated to the available
 * width, and the tooltip shows it in full. It does not change the direction of the text around it.
 */
export function Name({ children, isWrapped, isWhole, ...props }: NameProps) {
  const attributes = {
    dir: 'auto',
    title: children,
    className: classes.name,
    'data-wrapped': isWrapped || undefined,
    'data-whole': isWhole || undefined,
  }
  // Long lists have many names, and a plain element is rendered much faster.
  if (Object.keys(props).length === 0) return <bdi {...attributes}>{children}</bdi>
  return (
    <Text component="bdi" inherit {...attributes} {...props}>
      {children}
    </Text>
  )
}

interface DateTimeProps {
  /** ISO 8601 */
  value: string
  isDateOnly?: boolean
  /** For a log, whose entries may be seconds apart. */
  hasSeconds?: boolean
}

/** A time in the reader's time zone. The tooltip shows it in full. */
export function DateTime({ value, isDateOnly = false, hasSeconds = false }: DateTimeProps) {
  const date = new Date(value)
  const style = isDateOnly ? 'day' : hasSeconds ? 'seconds' : 'minutes'
  return (
    <time dateTime={value} title={dateText(date, 'full')}>
      {dateText(date, style)}
    </time>
  )
}
