import { ActionIcon, Text, Tooltip } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { ConfirmDialog } from '../components/dialogs.tsx'
import { shell } from '../i18n/en/shell.ts'
import { IconLogout } from '../icons/icons.tsx'
import { useSignedIn } from '../session/account.tsx'
import { useSession } from '../session/session.tsx'
import { isActive } from '../uploads/upload-item.ts'
import { useUploads } from '../uploads/uploads.tsx'

/** In the header of every page, unless the service requires no key. */
export function SignOut() {
  const { signOut } = useSession()
  const { data } = useSignedIn()
  const uploads = useUploads()
  const [isConfirming, confirming] = useDisclosure()
  if (!data?.requires_key) return null
  return (
    <>
      <Tooltip label={shell.signOut}>
        <ActionIcon
          variant="subtle"
          color="gray"
          size="lg"
          aria-label={shell.signOut}
          onClick={() => (uploads.read().items.some(isActive) ? confirming.open() : void signOut())}
        >
          <IconLogout size={20} aria-hidden />
        </ActionIcon>
      </Tooltip>
      <ConfirmDialog
        isOpen={isConfirming}
        title={shell.signOutQuestion}
        confirmLabel={shell.signOut}
        cancelLabel={shell.staySignedIn}
        onConfirm={() => void signOut()}
        onClose={confirming.close}
      >
        <Text size="sm">{shell.signOutHint}</Text>
      </ConfirmDialog>
    </>
  )
}
