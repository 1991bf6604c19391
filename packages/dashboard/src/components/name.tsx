import { Text, type TextProps } from '@mantine/core'

/**
 * A name as people gave it: in any script, either direction, and as long as it likes. It is cut where
 * its place ends, and whole in the tooltip. It never turns the words around it.
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
      // At the side where all names of a column begin.
      ta="left"
      {...props}
    >
      {children}
    </Text>
  )
}
