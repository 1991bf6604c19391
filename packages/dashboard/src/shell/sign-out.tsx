import { ActionIcon, Text, Tooltip } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { ConfirmDialog } from '../components/dialogs.tsx'
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
      <Tooltip label="Sign out">
        <ActionIcon
          variant="subtle"
          color="gray"
          size="lg"
          aria-label="Sign out"
          onClick={() => (uploads.read().items.some(isActive) ? confirming.open() : void signOut())}
        >
          <IconLogout size={20} aria-hidden />
        </ActionIcon>
      </Tooltip>
      <ConfirmDialog
        isOpen={isConfirming}
        title="Sign out?"
        confirmLabel="Sign out"
        cancelLabel="Stay signed in"
        onConfirm={() => void signOut()}
        onClose={confirming.close}
      >
        <Text size="sm">
          Uploads are in progress. They will stop, and you can resume them later.
        </Text>
      </ConfirmDialog>
    </>
  )
}
