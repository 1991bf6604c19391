import { ActionIcon, Button, Group, TextInput } from '@mantine/core'
import type { Asset } from '@stowage/client'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { ActionButton } from '../components/action-button.tsx'
import { fieldProblems } from '../components/dialogs.tsx'
import { errorText } from '../format.ts'
import { asset as texts } from '../i18n/en/asset.ts'
import { common } from '../i18n/en/common.ts'
import { IconX } from '../icons/icons.tsx'
import { changedBy, queryKeys } from '../query-keys.ts'
import { useClient } from '../session/session.tsx'

interface RenameFormProps {
  asset: Asset
  /** In a row of a list. */
  isCompact?: boolean
  /** The form no longer has the focus. */
  onClose(): void
}

/** A field for the name of an asset: Enter saves it, Escape cancels. */
export function RenameForm({ asset, isCompact = false, onClose }: RenameFormProps) {
  const client = useClient()
  const queries = useQueryClient()
  const [name, setName] = useState(asset.filename)
  const { mutate, isPending, error } = useMutation({
    mutationFn: (filename: string) => client.change(asset.id, { filename }),
    onSuccess({ filename }) {
      queries.setQueryData<Asset>(queryKeys.asset(asset.id), (old) => old && { ...old, filename })
      onClose()
      return queries.invalidateQueries(changedBy('asset.updated'))
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const trimmed = name.trim()
    if (trimmed === asset.filename) onClose()
    else if (!isPending) mutate(trimmed)
  }
  return (
    <form onSubmit={submit} style={{ flex: 1 }}>
      <Group gap={isCompact ? 'xs' : 'sm'} align="flex-start" wrap={isCompact ? 'nowrap' : 'wrap'}>
        <TextInput
          aria-label={texts.name}
          dir="auto"
          flex={1}
          miw={isCompact ? 0 : 220}
          size={isCompact ? 'xs' : 'sm'}
          autoFocus
          required
          maxLength={255}
          value={name}
          onFocus={({ currentTarget }) => selectStem(currentTarget)}
          onChange={({ currentTarget }) => setName(currentTarget.value)}
          onKeyDown={({ key }) => key === 'Escape' && onClose()}
          error={
            error === null
              ? undefined
              : (fieldProblems(error).filename?.join(', ') ?? errorText(error))
          }
        />
        <ActionButton isBusy={isPending} {...(isCompact && { size: 'compact-sm', mt: 2 })}>
          {texts.rename}
        </ActionButton>
        {isCompact ? (
          <ActionIcon
            variant="subtle"
            color="gray"
            aria-label={common.cancel}
            mt={2}
            onClick={onClose}
          >
            <IconX size={18} aria-hidden />
          </ActionIcon>
        ) : (
          <Button variant="default" onClick={onClose}>
            {common.cancel}
          </Button>
        )}
      </Group>
    </form>
  )
}

/** Selects the name without its extension, which rarely changes. */
function selectStem(input: HTMLInputElement): void {
  const dot = input.value.lastIndexOf('.')
  input.setSelectionRange(0, dot > 0 ? dot : input.value.length)
}
