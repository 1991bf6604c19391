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
import { settings } from '../i18n/en/settings.ts'
import { fill, plural, rich } from '../i18n/texts.ts'
import { IconAlertTriangle, IconLock, IconPlus } from '../icons/icons.tsx'
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
      {settings.createKey}
    </Button>
  )
  return (
    <>
      <LoadedSection
        query={keys}
        title={settings.apiKeys}
        action={keys.data !== undefined && create}
      >
        {(loaded) => (
          <>
            {isOpenAccess && (
              <Text size="sm" c="dimmed" mb="sm">
                {settings.keysIgnored}
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
  const valid = keys.filter((key) => !hasEnded(key))
  const revoked = keys.length - valid.length
  const expiring = valid.filter(isExpiring)
  const shown = isShowingAll ? keys : valid
  return (
    <>
      {expiring.length > 0 && (
        <Alert
          color="orange"
          mb="md"
          icon={<IconAlertTriangle aria-hidden />}
          title={plural(settings.expiringKeys, expiring.length)}
        >
          {settings.expiringKeysHint}
        </Alert>
      )}
      {shown.length === 0 ? (
        <Text c="dimmed">{revoked === 0 ? settings.noKeys : settings.allRevoked}</Text>
      ) : (
        <KeyTable keys={shown} onRevoke={onRevoke} />
      )}
      {revoked > 0 && (
        <Switch
          mt="md"
          label={fill(settings.showRevoked, { count: revoked })}
          checked={isShowingAll}
          onChange={({ currentTarget }) => setShowingAll(currentTarget.checked)}
        />
      )}
    </>
  )
}

function NoAccess() {
  return (
    <Section title={settings.apiKeys}>
      <Alert variant="light" color="gray" icon={<IconLock aria-hidden />} title={settings.noAccess}>
        {settings.noAccessHint}
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
          <Table.Th>{settings.name}</Table.Th>
          <Table.Th visibleFrom="sm">{settings.scope}</Table.Th>
          <Table.Th visibleFrom="sm">{settings.key}</Table.Th>
          <Table.Th visibleFrom="md">{settings.created}</Table.Th>
          <Table.Th visibleFrom="sm">{settings.lastUsed}</Table.Th>
          <Table.Th>
            <VisuallyHidden>{settings.revoke}</VisuallyHidden>
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
    <Table.Tr ref={row} data-revoked={hasEnded(key) || undefined}>
      <Table.Td maw={0} w="100%" miw={120} pe="md">
        <Name fw={500}>{key.name}</Name>
        <Text size="xs" c="dimmed" hiddenFrom="sm" component="div">
          {settings.scopeNames[key.scope]} · {key.hint} · <LastUse apiKey={key} />
        </Text>
        {isCurrent && (
          <Badge size="sm" variant="light" mt={4}>
            {settings.currentKey}
          </Badge>
        )}
        {key.expires_at !== null && !hasEnded(key) && (
          <Text size="xs" c={isExpiring(key) ? 'var(--mantine-color-orange-text)' : 'dimmed'}>
            {rich(settings.expiresOn, { date: <DateTime value={key.expires_at} /> })}
          </Text>
        )}
      </Table.Td>
      <Table.Td visibleFrom="sm" pe="xl">
        {settings.scopeNames[key.scope]}
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
        {hasEnded(key) ? (
          <Box fz="sm">
            <End apiKey={key} />
          </Box>
        ) : (
          <RevokeButton apiKey={key} onRevoke={onRevoke} />
        )}
      </Table.Td>
    </Table.Tr>
  )
}

/** Why the key does not work anymore. */
function End({ apiKey: { revoked_at, expires_at } }: { apiKey: Key }) {
  return revoked_at === null
    ? rich(settings.expired, { date: <DateTime value={expires_at ?? ''} isDateOnly /> })
    : rich(settings.revoked, { date: <DateTime value={revoked_at} isDateOnly /> })
}

const EXPIRING_MS = 14 * 86_400_000

function hasEnded({ revoked_at, expires_at }: Key): boolean {
  return revoked_at !== null || (expires_at !== null && Date.parse(expires_at) <= Date.now())
}

/** Whether someone should replace the key now. */
function isExpiring({ expires_at }: Key): boolean {
  return expires_at !== null && Date.parse(expires_at) - Date.now() < EXPIRING_MS
}

/** Disappears when the key is revoked, while its row may stay. */
function RevokeButton({ apiKey: key, onRevoke }: { apiKey: Key; onRevoke(key: Key): void }) {
  const button = useFocusHandover<HTMLButtonElement>()
  return (
    <Button
      ref={button}
      variant="default"
      size="compact-sm"
      aria-label={fill(settings.revokeNamed, { name: key.name })}
      onClick={() => onRevoke(key)}
    >
      {settings.revoke}
    </Button>
  )
}

function LastUse({ apiKey: { last_used_at } }: { apiKey: Key }) {
  return last_used_at === null ? settings.neverUsed : <DateTime value={last_used_at} />
}

type Scope = NewKey['scope']

const SCOPES: readonly Scope[] = ['read', 'write', 'manage']

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
      title={secret === undefined ? settings.createKey : settings.newKey}
      secret={secret}
      noun="key"
      hint={settings.newKeyHint}
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
  const [lastDay, setLastDay] = useState('')
  const mutation = useMutation({
    mutationFn: () => {
      const expires_at = lastDay === '' ? null : new Date(`${lastDay}T23:59:59`).toISOString()
      return client.createKey({ name: name.trim(), scope, expires_at })
    },
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
      errorTitle={settings.createFailed}
      submitLabel={settings.create}
      isIncomplete={name.trim() === ''}
      onClose={onClose}
    >
      <TextInput
        label={settings.name}
        description={settings.nameHint}
        placeholder={settings.namePlaceholder}
        dir="auto"
        required
        maxLength={255}
        data-autofocus
        value={name}
        onChange={({ currentTarget }) => setName(currentTarget.value)}
        error={fieldProblems(mutation.error).name?.join(', ')}
      />
      <Radio.Group
        label={settings.scope}
        value={scope}
        onChange={(value) => setScope(value as Scope)}
      >
        <Stack gap="sm" mt="xs">
          {SCOPES.map((one) => (
            <Radio
              key={one}
              value={one}
              label={settings.scopes[one]}
              description={settings.scopeHints[one]}
            />
          ))}
        </Stack>
      </Radio.Group>
      <TextInput
        label={settings.expires}
        description={settings.expiresHint}
        type="date"
        value={lastDay}
        onChange={({ currentTarget }) => setLastDay(currentTarget.value)}
        error={fieldProblems(mutation.error).expires_at?.join(', ')}
      />
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
      notify({ message: settings.keyRevoked })
      onClose()
      await queries.invalidateQueries({ queryKey: queryKeys.apiKeys() })
    },
  })
  return (
    <ConfirmDialog
      isOpen={key !== undefined}
      title={settings.revokeKeyQuestion}
      confirmLabel={settings.revokeKey}
      errorTitle={settings.revokeKeyFailed}
      mutation={revocation}
      onConfirm={(signal) => key && revocation.mutate({ id: key.id, signal })}
      onClose={onClose}
    >
      <Name fw={600}>{key?.name ?? ''}</Name>
      <Text size="sm">{settings.revokeKeyHint}</Text>
      {isCurrent && (
        <Alert color="orange" title={settings.ownKey}>
          {settings.ownKeyHint}
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
