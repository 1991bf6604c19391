import { Group, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { Dialog } from '../components/dialog.tsx'
import { ChooseFiles } from '../uploads/choose-files.tsx'
import { type ProductChoice, referencesOf } from './product-choices.ts'
import { ProductPicker } from './product-picker.tsx'

interface Props {
  isOpen: boolean
  onClose(): void
}

/** Asks for products first, and attaches the files to them. */
export function UploadToProducts({ isOpen, onClose }: Props) {
  return (
    <Dialog isOpen={isOpen} onClose={onClose} title="Upload and attach to products">
      <Content onClose={onClose} />
    </Dialog>
  )
}

function Content({ onClose }: Pick<Props, 'onClose'>) {
  const [picked, setPicked] = useState<ProductChoice[]>([])
  return (
    <Stack>
      <ProductPicker picked={picked} onPick={setPicked} />
      <Text size="sm" c="dimmed">
        Buyers of these products receive the files.
      </Text>
      <Group justify="flex-end">
        <ChooseFiles
          attach={referencesOf(picked)}
          isDisabled={picked.length === 0}
          onChosen={onClose}
        />
      </Group>
    </Stack>
  )
}
