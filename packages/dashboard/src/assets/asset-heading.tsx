import { ActionIcon, Button, Group, Menu, Title, Tooltip, VisuallyHidden } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import type { Asset } from '@stowage/client'
import { useMutation } from '@tanstack/react-query'
import { useLayoutEffect, useRef } from 'react'
import { useLocation } from 'wouter'
import { ActionButton } from '../components/action-button.tsx'
import { copyText } from '../components/copy.tsx'
import { listUrl, RETURN_STATE } from '../components/list-position.tsx'
import { notify } from '../components/notifications.tsx'
import { errorText } from '../format.ts'
import { asset as texts } from '../i18n/en/asset.ts'
import { IconChevronDown, IconCopy, IconDownload, IconPencil, IconTrash } from '../icons/icons.tsx'
import { ShareButton } from '../orders/on-demand.tsx'
import { RequireScope } from '../session/account.tsx'
import { useClient } from '../session/session.tsx'
import { AssetIcon } from './asset-icon.tsx'
import classes from './asset-page.module.css'
import { DeleteAssets } from './delete-assets.tsx'
import { RenameForm } from './rename-form.tsx'
import { ReplaceFile } from './replace-file.tsx'

/** The name, which can be edited in place: Enter saves it, Escape cancels. */
export function AssetName({ asset }: { asset: Asset }) {
  const [isEditing, editing] = useDisclosure()
  const renameButton = useRef<HTMLButtonElement>(null)
  const wasEditing = useRef(false)
  useLayoutEffect(() => {
    if (wasEditing.current && !isEditing) renameButton.current?.focus()
    wasEditing.current = isEditing
  }, [isEditing])
  if (isEditing) {
    return (
      <>
        <VisuallyHidden component="h1">{asset.filename}</VisuallyHidden>
        <RenameForm asset={asset} onClose={editing.close} />
      </>
    )
  }
  return (
    <Group gap="sm" wrap="nowrap" align="flex-start">
      <AssetIcon asset={asset} size={32} />
      <Title order={1} size={headingSizeOf(asset.filename)} miw={0} className={classes.name}>
        <bdi dir="auto">{asset.filename}</bdi>
      </Title>
      <RequireScope scope="write">
        <Tooltip label={texts.rename}>
          <ActionIcon
            ref={renameButton}
            variant="subtle"
            color="gray"
            size="lg"
            aria-label={texts.rename}
            onClick={editing.open}
          >
            <IconPencil size={20} aria-hidden />
          </ActionIcon>
        </Tooltip>
      </RequireScope>
    </Group>
  )
}

/** A smaller heading for long names, so that they do not fill the screen of a phone. */
function headingSizeOf(name: string): 'h2' | 'h4' {
  return name.length > 60 ? 'h4' : 'h2'
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
        title: texts.urlFailed,
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
          {texts.download}
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
            {texts.copyUrl}
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item onClick={() => void copyText(pageUrlOf(asset), texts.pageUrl)}>
            {texts.pageUrl}
          </Menu.Item>
          {isDownloadable && (
            <Menu.Item onClick={() => mutate((url) => copyText(url, texts.downloadUrl))}>
              {texts.downloadUrlHour}
            </Menu.Item>
          )}
        </Menu.Dropdown>
      </Menu>
      <ShareButton asset={asset} />
      <RequireScope scope="write">
        <Button
          variant="subtle"
          color="red"
          leftSection={<IconTrash size={18} aria-hidden />}
          onClick={deleting.open}
        >
          {texts.delete}
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
