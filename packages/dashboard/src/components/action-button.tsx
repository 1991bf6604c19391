import { Button, type ButtonProps, Loader } from '@mantine/core'

interface Props extends ButtonProps {
  isBusy: boolean
  children: string
  /** If omitted, the button submits its form. */
  onClick?(): void
}

/** Stays focusable while it is busy. A disabled button loses the focus. */
export function ActionButton({ isBusy, onClick, leftSection, ...props }: Props) {
  return (
    <Button
      {...props}
      type={onClick === undefined ? 'submit' : 'button'}
      leftSection={isBusy ? <Loader size={16} color="currentColor" aria-hidden /> : leftSection}
      aria-disabled={isBusy || undefined}
      aria-busy={isBusy || undefined}
      onClick={(event) => {
        if (isBusy) event.preventDefault()
        else onClick?.()
      }}
    />
  )
}
