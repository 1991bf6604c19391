import { Button, Menu } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import type { Asset } from '@stowage/client'
import { IconChevronDown, IconDownload, IconLink, IconTrash } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import { useLocation } from 'wouter'
import { copyText } from '../components/copy-text.ts'
import { showNotice } from '../components/notify.ts'
import { errorWords } from '../format/error-text.ts'
import { May } from '../session/require-scope.tsx'
import { useClient } from '../session/session.tsx'
import classes from './asset-page.module.css'
import { DeleteAssets } from './delete-assets.tsx'

export function AssetActions({ asset }: { asset: Asset }) {
  const client = useClient()
  const [, navigate] = useLocation()
  const [isDeleting, deleting] = useDisclosure()
  // Signed when it is asked for: it is good for about an hour.
  const { mutate, isPending } = useMutation({
    mutationFn: async (use: (url: string) => unknown) => use((await client.address(asset.id)).url),
    onError: (error) =>
      showNotice({ isFailure: true, title: 'No download', message: errorWords(error) }),
  })
  return (
    <div className={classes.actions}>
      {asset.is_file && (
        <Button
          leftSection={<IconDownload size={18} aria-hidden />}
          loading={isPending}
          onClick={() => mutate(save)}
        >
          Download
        </Button>
      )}
      <Menu>
        <Menu.Target>
          <Button
            variant="default"
            leftSection={<IconLink size={18} aria-hidden />}
            rightSection={<IconChevronDown size={16} aria-hidden />}
          >
            Copy link
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item onClick={() => void copyText(pageOf(asset), 'Link to this page')}>
            To this page
          </Menu.Item>
          {asset.is_file && (
            <Menu.Item onClick={() => mutate((url) => copyText(url, 'Link to the file'))}>
              To the file, good for an hour
            </Menu.Item>
          )}
        </Menu.Dropdown>
      </Menu>
      <May scope="write">
        <Button
          variant="subtle"
          color="red"
          leftSection={<IconTrash size={18} aria-hidden />}
          onClick={deleting.open}
        >
          Delete
        </Button>
      </May>
      <DeleteAssets
        assets={[asset]}
        isOpen={isDeleting}
        onClose={deleting.close}
        onDone={() => navigate('/')}
      />
    </div>
  )
}

function pageOf({ id }: Asset): string {
  return new URL(`/assets/${id}`, location.href).href
}

/** As a download, not as a way to another page: so nobody is asked whether to leave. */
function save(url: string): void {
  const link = document.createElement('a')
  link.href = url
  link.download = ''
  link.rel = 'noreferrer'
  link.click()
}
