import { Badge, Box, Button, Code, Table, Text, VisuallyHidden } from '@mantine/core'
import type { Key } from '@stowage/client'
import { Moment } from '../components/date-time.tsx'
import { Name } from '../components/name.tsx'
import { useSession } from '../session/session.tsx'
import { isOwn } from './is-current-key.ts'
import classes from './settings.module.css'

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
  const session = useSession()
  return (
    <Table.Tr data-revoked={key.revoked_at !== null || undefined}>
      <Table.Td maw={0} w="100%" miw={120} pe="md">
        <Name fw={500}>{key.name}</Name>
        <Text size="xs" c="dimmed" hiddenFrom="sm" component="div">
          {key.scope} · {key.hint} · <LastUse apiKey={key} />
        </Text>
        {isOwn(key, session.apiKey) && (
          <Badge size="sm" variant="light" mt={4}>
            You use it now
          </Badge>
        )}
      </Table.Td>
      <Table.Td visibleFrom="sm" pe="xl">
        {key.scope}
      </Table.Td>
      <Table.Td visibleFrom="sm" pe="xl">
        <Code className={classes.whole}>{key.hint}</Code>
      </Table.Td>
      <Table.Td visibleFrom="md" pe="xl" className={classes.whole}>
        <Moment at={key.created_at} isDay />
      </Table.Td>
      <Table.Td visibleFrom="sm" pe="xl" className={classes.whole}>
        <LastUse apiKey={key} />
      </Table.Td>
      <Table.Td ta="end" miw={92}>
        {key.revoked_at === null ? (
          <Button
            variant="default"
            size="compact-sm"
            aria-label={`Revoke ${key.name}`}
            onClick={() => onRevoke(key)}
          >
            Revoke
          </Button>
        ) : (
          <Box fz="sm">
            Revoked <Moment at={key.revoked_at} isDay />
          </Box>
        )}
      </Table.Td>
    </Table.Tr>
  )
}

function LastUse({ apiKey: { last_used_at } }: { apiKey: Key }) {
  return last_used_at === null ? 'Never used' : <Moment at={last_used_at} />
}
