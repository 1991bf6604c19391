import { type FileButtonProps, FileButton as MantineFileButton } from '@mantine/core'
import { useRef } from 'react'

/** Opens the browser's dialog for files. Choosing the same file again counts as a change, too. */
export function FileButton<Multiple extends boolean = false>({
  onChange,
  ...props
}: FileButtonProps<Multiple>) {
  const forget = useRef<() => void>(null)
  return (
    <MantineFileButton<Multiple>
      {...props}
      resetRef={forget}
      onChange={(chosen) => {
        onChange(chosen)
        // Otherwise the browser would report no change if the file was saved again, or if it was refused before.
        forget.current?.()
      }}
    />
  )
}
