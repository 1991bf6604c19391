import { Button, Menu } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import type { Asset } from '@stowage/client'
import { useMutation } from '@tanstack/react-query'
import { useLocation } from 'wouter'
import { ActionButton } from '../components/action-button.tsx'
import { copyText } from '../components/copy-text.ts'
import { listUrl, RETURN_STATE } from '../components/list-position.ts'
import { notify } from '../components/notify.ts'
import { errorText } from '../format/error-text.ts'
import { IconChevronDown, IconCopy, IconDownload, IconTrash } from '../icons/icons.ts'
import { RequireScope } from '../session/require-scope.tsx'
import { useClient } from '../session/session.tsx'
import classes from './asset-page.module.css'
import { DeleteAssets } from './delete-assets.tsx'
import { ReplaceFile } from './replace-file.tsx'

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
