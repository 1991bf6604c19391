import { Alert, Button, Skeleton, Switch, Text } from '@mantine/core'
import type { Key } from '@stowage/client'
import { useState } from 'react'
import { ErrorAlert } from '../components/error-alert.tsx'
import { Section } from '../components/section.tsx'
import { numberText } from '../format/count-text.ts'
import { IconLock, IconPlus } from '../icons/icons.ts'
import { useHasScope } from '../session/require-scope.tsx'
import { useAccount } from '../session/use-account.ts'
import { CreateKey } from './create-key.tsx'
import { KeyTable } from './key-table.tsx'
import { RevokeKey } from './revoke-key.tsx'
import { useKeys } from './use-keys.ts'

export function KeysSection({ isOpenAccess }: { isOpenAccess: boolean }) {
  return useHasScope('manage') ? <AllKeys isOpenAccess={isOpenAccess} /> : <NoAccess />
}

function AllKeys({ isOpenAccess }: { isOpenAccess: boolean }) {
  const { isPending } = useAccount()
  const { data: keys, error, refetch } = useKeys({ enabled: !isPending })
  const [isCreating, setCreating] = useState(false)
  const [revoking, setRevoking] = useState<Key>()
  const create = (
    <Button leftSection={<IconPlus size={18} aria-hidden />} onClick={() => setCreating(true)}>
      Create key
    </Button>
  )
  return (
    <Section title="API keys" action={keys !== undefined && create}>
      {isOpenAccess && (
        <Text size="sm" c="dimmed" mb="sm">
          The service ignores keys until it requires them (STOWAGE_AUTH=keys).
        </Text>
      )}
      {error !== null && (
        <ErrorAlert title="Could not load the keys" error={error} onRetry={() => void refetch()} />
      )}
      {keys === undefined && error === null && (
        <Skeleton h={120} role="status" aria-label="Loading" />
      )}
      {keys !== undefined && error === null && <Keys keys={keys} onRevoke={setRevoking} />}
      <CreateKey isOpen={isCreating} onClose={() => setCreating(false)} />
      <RevokeKey apiKey={revoking} onClose={() => setRevoking(undefined)} />
    </Section>
  )
}

function Keys({ keys, onRevoke }: { keys: Key[]; onRevoke(key: Key): void }) {
  const [isShowingAll, setShowingAll] = useState(false)
  const valid = keys.filter(({ revoked_at }) => revoked_at === null)
  const revoked = keys.length - valid.length
  const shown = isShowingAll ? keys : valid
  return (
    <>
      {shown.length === 0 ? (
        <Text c="dimmed">
          {revoked === 0 ? 'No keys yet.' : 'All keys are revoked.'} Create one for each program
          that calls the service.
        </Text>
      ) : (
        <KeyTable keys={shown} onRevoke={onRevoke} />
      )}
      {revoked > 0 && (
        <Switch
          mt="md"
          label={`Show revoked keys (${numberText(revoked)})`}
          checked={isShowingAll}
          onChange={({ currentTarget }) => setShowingAll(currentTarget.checked)}
        />
      )}
    </>
  )
}

function NoAccess() {
  return (
    <Section title="API keys">
      <Alert
        variant="light"
        color="gray"
        icon={<IconLock aria-hidden />}
        title="Your key cannot manage API keys"
      >
        Managing keys requires a key with the manage scope. Sign in with such a key, or ask the
        operator of the service for one.
      </Alert>
    </Section>
  )
}
