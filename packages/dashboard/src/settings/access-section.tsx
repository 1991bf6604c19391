import { Button, Code, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { ConfirmDialog } from '../components/confirm-dialog.tsx'
import { DateTime } from '../components/date-time.tsx'
import { Section } from '../components/section.tsx'
import { IconLogout } from '../icons/icons.ts'
import { useSession } from '../session/session.tsx'
import { useSignedIn } from '../session/use-signed-in.ts'
import { isActive } from '../uploads/upload-item.ts'
import { useUploads } from '../uploads/uploads.tsx'

export function AccessSection({ isOpenAccess }: { isOpenAccess: boolean }) {
  return isOpenAccess ? <OpenAccess /> : <SignedIn />
}

function OpenAccess() {
  return (
    <Section title="Access">
      <Text>
        This service requires no key. Anyone who uses this computer has full access. Other computers
        cannot connect.
      </Text>
      <Text c="dimmed" size="sm" mt="xs">
        To require keys, create a key with the manage scope below, set{' '}
        <Code>STOWAGE_AUTH=keys</Code> and restart the service. To accept connections from other
        computers, also set <Code>STOWAGE_HOST</Code>.
      </Text>
    </Section>
  )
}

function SignedIn() {
  const { signOut } = useSession()
  const { data } = useSignedIn()
  const uploads = useUploads()
  const [isConfirming, confirming] = useDisclosure()
  const signOutButton = (
    <Button
      variant="default"
      leftSection={<IconLogout size={18} aria-hidden />}
      onClick={() => (uploads.read().items.some(isActive) ? confirming.open() : void signOut())}
    >
      Sign out
    </Button>
  )
  return (
    <Section title="Access" action={signOutButton}>
      <Text>
        You are signed in with the key <bdi>{data?.key?.name}</bdi>
        {data?.key?.hint && (
          <>
            {' '}
            <Code>{data.key.hint}</Code>
          </>
        )}
        {data?.expires_at && (
          <>
            , until <DateTime value={data.expires_at} isDateOnly /> at the latest
          </>
        )}
        .
      </Text>
      <Text c="dimmed" size="sm" mt="xs">
        Signing out applies to all tabs of this browser.
      </Text>
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
    </Section>
  )
}
