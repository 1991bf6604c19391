import { ActionIcon, Button, Group, TextInput, Title, Tooltip, VisuallyHidden } from '@mantine/core'
import { type Asset, isStowageError } from '@stowage/client'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useRef, useState } from 'react'
import { ActionButton } from '../components/action-button.tsx'
import { errorText } from '../format/error-text.ts'
import { IconPencil } from '../icons/icons.ts'
import { RequireScope } from '../session/require-scope.tsx'
import { useClient } from '../session/session.tsx'
import { AssetIcon } from './asset-icon.tsx'
import classes from './asset-page.module.css'

/** The name, which can be edited in place: Enter saves it, Escape cancels. */
export function AssetName({ asset }: { asset: Asset }) {
  const client = useClient()
  const queries = useQueryClient()
  const [name, setName] = useState<string>()
  const renameButton = useRef<HTMLButtonElement>(null)
  const { mutate, isPending, error, reset } = useMutation({
    mutationFn: (filename: string) => client.change(asset.id, { filename }),
    onSuccess(changed) {
      queries.setQueryData(['asset', asset.id], { ...asset, filename: changed.filename })
      close()
      return queries.invalidateQueries()
    },
  })
  const close = () => {
    setName(undefined)
    reset()
    // Wait until the button is rendered again.
    setTimeout(() => renameButton.current?.focus())
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const trimmed = (name ?? '').trim()
    if (trimmed === asset.filename) close()
    else mutate(trimmed)
  }
  if (name === undefined) {
    return (
      <Group gap="sm" wrap="nowrap" align="flex-start">
        <AssetIcon asset={asset} size={32} />
        <Title order={1} size={headingSizeOf(asset.filename)} miw={0} className={classes.name}>
          <bdi dir="auto">{asset.filename}</bdi>
        </Title>
        <RequireScope scope="write">
          <Tooltip label="Rename">
            <ActionIcon
              ref={renameButton}
              variant="subtle"
              color="gray"
              size="lg"
              aria-label="Rename"
              onClick={() => setName(asset.filename)}
            >
              <IconPencil size={20} aria-hidden />
            </ActionIcon>
          </Tooltip>
        </RequireScope>
      </Group>
    )
  }
  return (
    <form onSubmit={submit}>
      <VisuallyHidden component="h1">{asset.filename}</VisuallyHidden>
      <Group gap="sm" align="flex-start">
        <TextInput
          aria-label="Name"
          dir="auto"
          flex={1}
          miw={220}
          autoFocus
          required
          maxLength={255}
          value={name}
          onFocus={({ currentTarget }) => selectStem(currentTarget)}
          onChange={({ currentTarget }) => setName(currentTarget.value)}
          onKeyDown={({ key }) => key === 'Escape' && close()}
          error={error === null ? undefined : nameErrorText(error)}
        />
        <ActionButton isBusy={isPending}>Rename</ActionButton>
        <Button variant="default" onClick={close}>
          Cancel
        </Button>
      </Group>
    </form>
  )
}

/** A smaller heading for long names, so that they do not fill the screen of a phone. */
function headingSizeOf(name: string): 'h2' | 'h4' {
  return name.length > 60 ? 'h4' : 'h2'
}

/** Selects the name without its extension, which rarely changes. */
function selectStem(input: HTMLInputElement): void {
  const dot = input.value.lastIndexOf('.')
  input.setSelectionRange(0, dot > 0 ? dot : input.value.length)
}

function nameErrorText(error: unknown): string {
  const isInvalid = isStowageError(error, 'invalid')
  return (isInvalid && error.errors.filename?.join(', ')) || errorText(error)
}
