import { ActionIcon, Button, Group, TextInput, Title, Tooltip, VisuallyHidden } from '@mantine/core'
import { type Asset, isStowageError } from '@stowage/client'
import { IconPencil } from '@tabler/icons-react'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useRef, useState } from 'react'
import { errorWords } from '../format/error-text.ts'
import { May } from '../session/require-scope.tsx'
import { useClient } from '../session/session.tsx'
import { AssetIcon } from './asset-icon.tsx'
import classes from './asset-page.module.css'

/** The name, which can be changed where it stands: Enter keeps the new one, Escape the old one. */
export function AssetName({ asset }: { asset: Asset }) {
  const client = useClient()
  const queries = useQueryClient()
  const [name, setName] = useState<string>()
  const pencil = useRef<HTMLButtonElement>(null)
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
    // Once it is there again.
    setTimeout(() => pencil.current?.focus())
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const wanted = (name ?? '').trim()
    if (wanted === asset.filename) close()
    else mutate(wanted)
  }
  if (name === undefined) {
    return (
      <Group gap="sm" wrap="nowrap" align="flex-start">
        <AssetIcon asset={asset} size={32} />
        <Title order={1} size={sizeFor(asset.filename)} miw={0} className={classes.name}>
          <bdi dir="auto">{asset.filename}</bdi>
        </Title>
        <May scope="write">
          <Tooltip label="Rename">
            <ActionIcon
              ref={pencil}
              variant="subtle"
              color="gray"
              size="lg"
              aria-label="Rename"
              onClick={() => setName(asset.filename)}
            >
              <IconPencil size={20} aria-hidden />
            </ActionIcon>
          </Tooltip>
        </May>
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
          error={error === null ? undefined : wordsOf(error)}
        />
        <Button type="submit" loading={isPending}>
          Rename
        </Button>
        <Button variant="default" onClick={close}>
          Cancel
        </Button>
      </Group>
    </form>
  )
}

/** So that on a phone there is room for more than an endless name. */
function sizeFor(name: string): 'h2' | 'h4' {
  return name.length > 60 ? 'h4' : 'h2'
}

/** The ending mostly stays. */
function selectStem(input: HTMLInputElement): void {
  const dot = input.value.lastIndexOf('.')
  input.setSelectionRange(0, dot > 0 ? dot : input.value.length)
}

function wordsOf(error: unknown): string {
  const isInvalid = isStowageError(error, 'invalid')
  return (isInvalid && error.errors.filename?.join(', ')) || errorWords(error)
}
