import { Badge, Box, Button, Code, Table, Text, VisuallyHidden } from '@mantine/core'
import type { Key } from '@stowage/client'
import { DateTime } from '../components/date-time.tsx'
import { Name } from '../components/name.tsx'
import { useFocusHandover } from '../components/use-focus-handover.ts'
import classes from './settings.module.css'
import { useIsCurrentKey } from './use-is-current-key.ts'

interface Props {
  keys: readonly Key[]
  onRevoke(key: Key): void
}

export function KeyTable({ keys, onRevoke }: Props) {
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
