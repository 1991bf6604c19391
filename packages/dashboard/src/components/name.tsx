import { Text, type TextProps } from '@mantine/core'

/**
 * A name that a user has chosen, in any script, writing direction and length. It is truncated to the available
 * width, and the tooltip shows it in full. It does not change the direction of the text around it.
 */
export function Name({ children, ...props }: TextProps & { children: string }) {
  return (
    <Text
      component="bdi"
      dir="auto"
      display="block"
      truncate
      inherit
      title={children}
      // All names in a column start on the same side.
      ta="left"
      {...props}
    >
      {children}
    </Text>
  )
}
