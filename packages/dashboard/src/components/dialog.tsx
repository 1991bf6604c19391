import { Modal, type ModalProps } from '@mantine/core'
import { useFocusReturn } from './use-focus-return.ts'

interface Props extends Omit<ModalProps, 'opened' | 'returnFocus'> {
  isOpen: boolean
  title: string
}

export function Dialog({ isOpen, ...props }: Props) {
  useFocusReturn(isOpen)
  return (
    <Modal
      opened={isOpen}
      returnFocus={false}
      closeButtonProps={{ 'aria-label': 'Close' }}
      // Transitions with a transform clip the dropdowns inside of the dialog.
      transitionProps={{ transition: 'fade' }}
      {...props}
    />
  )
}
