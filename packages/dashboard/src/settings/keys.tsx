import {
  Alert,
  Badge,
  Box,
  Button,
  Code,
  Radio,
  Stack,
  Switch,
  Table,
  Text,
  TextInput,
  VisuallyHidden,
} from '@mantine/core'
import type { Key, NewKey } from '@stowage/client'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { SecretDialog } from '../components/copy.tsx'
import { ConfirmDialog, DialogForm, fieldProblems } from '../components/dialogs.tsx'
import { useFocusHandover } from '../components/focus.ts'
import { notify } from '../components/notifications.tsx'
import { LoadedSection, Section } from '../components/sections.tsx'
import { DateTime, Name } from '../components/values.tsx'
import { numberText } from '../format.ts'
import { IconLock, IconPlus } from '../icons/icons.tsx'
import { queryKeys } from '../query-keys.ts'
import { useAccount, useHasScope, useSignedIn } from '../session/account.tsx'
import { useClient } from '../session/session.tsx'
import classes from './keys.module.css'

export function KeysSection({ isOpenAccess }: { isOpenAccess: boolean }) {
  return useHasScope('manage') ? <AllKeys isOpenAccess={isOpenAccess} /> : <NoAccess />
}

function AllKeys({ isOpenAccess }: { isOpenAccess: boolean }) {
  const { isPending } = useAccount()
  const keys = useKeys({ enabled: !isPending })
  const [isCreating, setCreating] = useState(false)
  const [revoking, setRevoking] = useState<Key>()
  const create = (
    <Button leftSection={<IconPlus size={18} aria-hidden />} onClick={() => setCreating(true)}>
      Create key
    </Button>
  )
  return (
    <>
      <LoadedSection query={keys} title="API keys" action={keys.data !== undefined && create}>
        {(loaded) => (
          <>
            {isOpenAccess && (
              <Text size="sm" c="dimmed" mb="sm">
                The service ignores keys until it requires them (STOWAGE_AUTH=keys).
              </Text>
            )}
            <Keys keys={loaded} onRevoke={setRevoking} />
          </>
        )}
      </LoadedSection>
      <CreateKey isOpen={isCreating} onClose={() => setCreating(false)} />
      <RevokeKey apiKey={revoking} onClose={() => setRevoking(undefined)} />
    </>
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

interface KeyTableProps {
  keys: readonly Key[]
  onRevoke(key: Key): void
}

function KeyTable({ keys, onRevoke }: KeyTableProps) {
  return (
    <Table className={classes.keys} verticalSpacing="sm" horizontalSpacing={0}>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>Name</Table.Th>
          <Table.Th visibleFrom="sm">Scope</Table.Th>
          <Table.Th visibleFrom="sm">Key</Table.Th>
          <Table.Th visibleFrom="md">Created</Table.Th>
          <Table.Th visibleFrom="sm">Last used</Table.Th>
          <Table.Th>
            <VisuallyHidden>Revoke</VisuallyHidden>
          </Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {keys.map((key) => (
          <KeyRow key={key.id} apiKey={key} onRevoke={onRevoke} />
        ))}
      </Table.Tbody>
    </Table>
  )
}

function KeyRow({ apiKey: key, onRevoke }: { apiKey: Key; onRevoke(key: Key): void }) {
  const isCurrent = useIsCurrentKey(key)
  const row = useFocusHandover<HTMLTableRowElement>()
  return (
    <Table.Tr ref={row} data-revoked={key.revoked_at !== null || undefined}>
      <Table.Td maw={0} w="100%" miw={120} pe="md">
        <Name fw={500}>{key.name}</Name>
        <Text size="xs" c="dimmed" hiddenFrom="sm" component="div">
          {key.scope} · {key.hint} · <LastUse apiKey={key} />
        </Text>
        {isCurrent && (
          <Badge size="sm" variant="light" mt={4}>
            Current key
          </Badge>
        )}
      </Table.Td>
      <Table.Td visibleFrom="sm" pe="xl">
        {key.scope}
      </Table.Td>
      <Table.Td visibleFrom="sm" pe="xl">
        <Code className={classes.nowrap}>{key.hint}</Code>
      </Table.Td>
      <Table.Td visibleFrom="md" pe="xl" className={classes.nowrap}>
        <DateTime value={key.created_at} isDateOnly />
      </Table.Td>
      <Table.Td visibleFrom="sm" pe="xl" className={classes.nowrap}>
        <LastUse apiKey={key} />
      </Table.Td>
      <Table.Td ta="end" miw={92}>
        {key.revoked_at === null ? (
          <RevokeButton apiKey={key} onRevoke={onRevoke} />
        ) : (
          <Box fz="sm">
            Revoked <DateTime value={key.revoked_at} isDateOnly />
          </Box>
        )}
      </Table.Td>
    </Table.Tr>
  )
}

/** Disappears when the key is revoked, while its row may stay. */
function RevokeButton({ apiKey: key, onRevoke }: { apiKey: Key; onRevoke(key: Key): void }) {
  const button = useFocusHandover<HTMLButtonElement>()
  return (
    <Button
      ref={button}
      variant="default"
      size="compact-sm"
      aria-label={`Revoke ${key.name}`}
      onClick={() => onRevoke(key)}
    >
      Revoke
    </Button>
  )
}

function LastUse({ apiKey: { last_used_at } }: { apiKey: Key }) {
  return last_used_at === null ? 'Never used' : <DateTime value={last_used_at} />
}

type Scope = NewKey['scope']

const SCOPES: { value: Scope; label: string; description: string }[] = [
  { value: 'read', label: 'Read', description: 'List and download.' },
  {
    value: 'write',
    label: 'Write',
    description: 'Read, and also upload, edit, attach and delete.',
  },
  { value: 'manage', label: 'Manage', description: 'Write, and also manage keys and webhooks.' },
]

/** A form, then the secret of the new key. */
function CreateKey({ isOpen, onClose }: { isOpen: boolean; onClose(): void }) {
  const [secret, setSecret] = useState<string>()
  const close = () => {
    setSecret(undefined)
    onClose()
  }
  return (
    <SecretDialog
      isOpen={isOpen}
      title={secret === undefined ? 'Create key' : 'Your new key'}
      secret={secret}
      noun="key"
      hint="Store it like a password. Anyone who has the key can use it."
      onClose={close}
    >
      <KeyForm onCreated={setSecret} onClose={close} />
    </SecretDialog>
  )
}

function KeyForm({ onCreated, onClose }: { onCreated(secret: string): void; onClose(): void }) {
  const client = useClient()
  const queries = useQueryClient()
  const [name, setName] = useState('')
  const [scope, setScope] = useState<Scope>('write')
  const mutation = useMutation({
    mutationFn: () => client.createKey({ name: name.trim(), scope }),
    // Removes the secret from the cache.
    gcTime: 0,
    onSuccess({ secret }) {
      onCreated(secret)
      return queries.invalidateQueries({ queryKey: queryKeys.apiKeys() })
    },
  })
  return (
    <DialogForm
      mutation={mutation}
      errorTitle="Could not create the key"
      submitLabel="Create"
      isIncomplete={name.trim() === ''}
      onClose={onClose}
    >
      <TextInput
        label="Name"
        description="Where the key is used, so that you know later which key to revoke"
        placeholder="shop backend"
        dir="auto"
        required
        maxLength={255}
        data-autofocus
        value={name}
        onChange={({ currentTarget }) => setName(currentTarget.value)}
        error={fieldProblems(mutation.error).name?.join(', ')}
      />
      <Radio.Group label="Scope" value={scope} onChange={(value) => setScope(value as Scope)}>
        <Stack gap="sm" mt="xs">
          {SCOPES.map((option) => (
            <Radio key={option.value} {...option} />
          ))}
        </Stack>
      </Radio.Group>
    </DialogForm>
  )
}

interface RevokeKeyProps {
  /** Undefined while the dialog is closed. */
  apiKey: Key | undefined
  onClose(): void
}

function RevokeKey({ apiKey: key, onClose }: RevokeKeyProps) {
  const client = useClient()
  const isCurrent = useIsCurrentKey(key)
  const queries = useQueryClient()
  const revocation = useMutation({
    mutationFn: ({ id, signal }: { id: string; signal: AbortSignal }) =>
      client.revokeKey(id, { signal }),
    async onSuccess() {
      notify({ message: 'Key revoked' })
      onClose()
      await queries.invalidateQueries({ queryKey: queryKeys.apiKeys() })
    },
  })
  return (
    <ConfirmDialog
      isOpen={key !== undefined}
      title="Revoke this key?"
      confirmLabel="Revoke key"
      errorTitle="Could not revoke the key"
      mutation={revocation}
      onConfirm={(signal) => key && revocation.mutate({ id: key.id, signal })}
      onClose={onClose}
    >
      <Name fw={600}>{key?.name ?? ''}</Name>
      <Text size="sm">
        The service will reject all requests with this key and its upload tokens. This cannot be
        undone, but you can create a new key.
      </Text>
      {isCurrent && (
        <Alert color="orange" title="You are signed in with this key">
          You will have to sign in with another key.
        </Alert>
      )}
    </ConfirmDialog>
  )
}

function useKeys({ enabled }: { enabled: boolean }) {
  const client = useClient()
  return useQuery({
    queryKey: queryKeys.apiKeys(),
    queryFn: ({ signal }) => client.keys({ signal }),
    enabled,
  })
}

/** Whether the user is signed in with this key. */
function useIsCurrentKey(key: Key | undefined): boolean {
  const { data } = useSignedIn()
  return key !== undefined && data?.key?.id === key.id
}
