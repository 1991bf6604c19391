import {
  ActionIcon,
  Button,
  Group,
  Menu,
  TextInput,
  Title,
  Tooltip,
  VisuallyHidden,
} from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import type { Asset } from '@stowage/client'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useRef, useState } from 'react'
import { useLocation } from 'wouter'
import { ActionButton } from '../components/action-button.tsx'
import { copyText } from '../components/copy.tsx'
import { fieldProblems } from '../components/dialogs.tsx'
import { listUrl, RETURN_STATE } from '../components/list-position.tsx'
import { notify } from '../components/notifications.tsx'
import { errorText } from '../format.ts'
import { IconChevronDown, IconCopy, IconDownload, IconPencil, IconTrash } from '../icons/icons.tsx'
import { changedBy, queryKeys } from '../query-keys.ts'
import { RequireScope } from '../session/account.tsx'
import { useClient } from '../session/session.tsx'
import { AssetIcon } from './asset-icon.tsx'
import classes from './asset-page.module.css'
import { DeleteAssets } from './delete-assets.tsx'
import { ReplaceFile } from './replace-file.tsx'

/** The name, which can be edited in place: Enter saves it, Escape cancels. */
export function AssetName({ asset }: { asset: Asset }) {
  const client = useClient()
  const queries = useQueryClient()
  const [name, setName] = useState<string>()
  const renameButton = useRef<HTMLButtonElement>(null)
  const { mutate, isPending, error, reset } = useMutation({
    mutationFn: (filename: string) => client.change(asset.id, { filename }),
    onSuccess(changed) {
      queries.setQueryData(queryKeys.asset(asset.id), { ...asset, filename: changed.filename })
      close()
      return queries.invalidateQueries(changedBy('asset.updated'))
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
          error={
            error === null
              ? undefined
              : (fieldProblems(error).filename?.join(', ') ?? errorText(error))
          }
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

export function AssetActions({ asset }: { asset: Asset }) {
  const client = useClient()
  const [, navigate] = useLocation()
  const [isDeleting, deleting] = useDisclosure()
  // Signed on demand, because a download URL expires after about an hour.
  const { mutate, isPending } = useMutation({
    mutationFn: async (use: (url: string) => unknown) => use((await client.address(asset.id)).url),
    onError: (error) =>
      notify({
        isError: true,
        title: 'Could not create a download URL',
        message: errorText(error),
      }),
  })
  const isDownloadable = asset.is_file && !asset.damaged
  return (
    <div className={classes.actions}>
      {isDownloadable && (
        <ActionButton
          leftSection={<IconDownload size={18} aria-hidden />}
          isBusy={isPending}
          onClick={() => mutate(download)}
        >
          Download
        </ActionButton>
      )}
      {asset.is_file && (
        <RequireScope scope="write">
          <ReplaceFile asset={asset} />
        </RequireScope>
      )}
      <Menu>
        <Menu.Target>
          <Button
            variant="default"
            leftSection={<IconCopy size={18} aria-hidden />}
            rightSection={<IconChevronDown size={16} aria-hidden />}
          >
            Copy URL
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item onClick={() => void copyText(pageUrlOf(asset), 'URL of this page')}>
            URL of this page
          </Menu.Item>
          {isDownloadable && (
            <Menu.Item onClick={() => mutate((url) => copyText(url, 'download URL'))}>
              Download URL, valid for one hour
            </Menu.Item>
          )}
        </Menu.Dropdown>
      </Menu>
      <RequireScope scope="write">
        <Button
          variant="subtle"
          color="red"
          leftSection={<IconTrash size={18} aria-hidden />}
          onClick={deleting.open}
        >
          Delete
        </Button>
      </RequireScope>
      <DeleteAssets
        assets={[asset]}
        isOpen={isDeleting}
        onClose={deleting.close}
        onDone={() => navigate(listUrl('/'), { state: RETURN_STATE })}
      />
    </div>
  )
}

function pageUrlOf({ id }: Asset): string {
  return new URL(`/assets/${id}`, location.href).href
}

/** Uses a download instead of a navigation, which would trigger the warning about running uploads. */
function download(url: string): void {
  const link = document.createElement('a')
  link.href = url
  link.download = ''
  link.rel = 'noreferrer'
  link.click()
}
