import { Button, Code, Text } from '@mantine/core'
import { modals } from '@mantine/modals'
import { IconLogout } from '@tabler/icons-react'
import { Section } from '../components/section.tsx'
import { useSession } from '../session/session.tsx'
import { isRemembered } from '../session/stored-key.ts'
import { isUnderWay } from '../uploads/upload-item.ts'
import { useUploads } from '../uploads/uploads.tsx'

/** How people get in here, and how they leave. */
export function AccessSection({ isOpen }: { isOpen: boolean }) {
  return isOpen ? <OpenAccess /> : <SignedIn />
}

function OpenAccess() {
  return (
    <Section title="Access">
      <Text>
        This service is open: whoever uses this computer may do everything, and no key is needed.
        Nobody else reaches it.
      </Text>
      <Text c="dimmed" size="sm" mt="xs">
        To ask for keys, create a key with the scope manage below, set{' '}
        <Code>STOWAGE_AUTH=keys</Code> and start the service again. Then others may reach it too,
        with <Code>STOWAGE_HOST</Code>.
      </Text>
    </Section>
  )
}

function SignedIn() {
  const { apiKey, signOut } = useSession()
  const uploads = useUploads()
  const ask = () =>
    modals.openConfirmModal({
      title: 'Sign out?',
      children: (
        <Text size="sm">Uploads are under way. They stop, and can be gone on with later.</Text>
      ),
      labels: { confirm: 'Sign out', cancel: 'Stay' },
      closeButtonProps: { 'aria-label': 'Close' },
      onConfirm: signOut,
    })
  const leave = (
    <Button
      variant="default"
      leftSection={<IconLogout size={18} aria-hidden />}
      onClick={() => (uploads.read().items.some(isUnderWay) ? ask() : signOut())}
    >
      Sign out
    </Button>
  )
  return (
    <Section title="Access" action={leave}>
      <Text>
        You are signed in with the key <Code>…{apiKey?.slice(-4)}</Code>.{' '}
        {isRemembered()
          ? 'It is remembered on this computer until you sign out.'
          : 'It is forgotten when you close this tab.'}
      </Text>
    </Section>
  )
}
