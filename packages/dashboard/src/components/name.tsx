import { Text, type TextProps } from '@mantine/core'
import classes from './name.module.css'

interface Props extends TextProps {
  children: string
  /** On a phone, it takes up to three lines. */
  isWrapped?: boolean
}

/**
 * A name that a user has chosen, in any script, writing direction and length. It is truncated to the available
 * width, and the tooltip shows it in full. It does not change the direction of the text around it.
 */
export function Name({ children, isWrapped, ...props }: Props) {
  const attributes = {
    dir: 'auto',
    title: children,
    className: classes.name,
    'data-wrapped': isWrapped || undefined,
  }
  // Long lists have many names, and a plain element is rendered much faster.
  if (Object.keys(props).length === 0) return <bdi {...attributes}>{children}</bdi>
  return (
    <Text component="bdi" inherit {...attributes} {...props}>
      {children}
    </Text>
  )
}
