import { Alert, Button, Skeleton, Switch, Text } from '@mantine/core'
import type { Key } from '@stowage/client'
import { IconLock, IconPlus } from '@tabler/icons-react'
import { useState } from 'react'
import { Problem } from '../components/error-alert.tsx'
import { Section } from '../components/section.tsx'
import { numberText } from '../format/count-text.ts'
import { useMay } from '../session/require-scope.tsx'
import { useAccount } from '../session/use-account.ts'
import { CreateKey } from './create-key.tsx'
import { KeyTable } from './key-table.tsx'
import { RevokeKey } from './revoke-key.tsx'
import { useKeys } from './use-settings.ts'

export function KeysSection({ isOpen }: { isOpen: boolean }) {
  return useMay('manage') ? <AllKeys isOpen={isOpen} /> : <NotForThisKey />
}

function AllKeys({ isOpen }: { isOpen: boolean }) {
  const { isPending } = useAccount()
  const { data: keys, error, refetch } = useKeys({ enabled: !isPending })
  const [isCreating, setCreating] = useState(false)
  const [doomed, setDoomed] = useState<Key>()
  const create = (
    <Button leftSection={<IconPlus size={18} aria-hidden />} onClick={() => setCreating(true)}>
      Create a key
    </Button>
  )
  return (
    <Section title="API keys" action={keys !== undefined && create}>
      {isOpen && (
        <Text size="sm" c="dimmed" mb="sm">
          They count as soon as the service asks for keys.
        </Text>
      )}
      {error !== null && (
        <Problem title="Keys can’t be read" error={error} onRetry={() => void refetch()} />
      )}
      {keys === undefined && error === null && (
        <Skeleton h={120} role="status" aria-label="Loading" />
      )}
      {keys !== undefined && error === null && <Keys keys={keys} onRevoke={setDoomed} />}
      <CreateKey isOpen={isCreating} onClose={() => setCreating(false)} />
      <RevokeKey apiKey={doomed} onClose={() => setDoomed(undefined)} />
    </Section>
  )
}

function Keys({ keys, onRevoke }: { keys: Key[]; onRevoke(key: Key): void }) {
  const [isAll, setAll] = useState(false)
  const working = keys.filter(({ revoked_at }) => revoked_at === null)
  const revoked = keys.length - working.length
  const shown = isAll ? keys : working
  return (
    <>
      {shown.length === 0 ? (
        <Text c="dimmed">There is no key yet. Programs that call the service need one each.</Text>
      ) : (
        <KeyTable keys={shown} onRevoke={onRevoke} />
      )}
      {revoked > 0 && (
        <Switch
          mt="md"
          label={`Show revoked keys (${numberText(revoked)})`}
          checked={isAll}
          onChange={({ currentTarget }) => setAll(currentTarget.checked)}
        />
      )}
    </>
  )
}

/** Not a fault: it is what the key was made for. */
function NotForThisKey() {
  return (
    <Section title="API keys">
      <Alert
        variant="light"
        color="gray"
        icon={<IconLock aria-hidden />}
        title="Your key may not see or make keys"
      >
        That takes a key with the scope manage. Sign out and sign in with such a key, or ask whoever
        gave you yours.
      </Alert>
    </Section>
  )
}
