import { Alert, Button, Group, Text } from '@mantine/core'
import { formatSize } from '@stowage/protocol/format'
import { IconDatabaseOff } from '@tabler/icons-react'
import { Link } from 'wouter'
import { countText } from '../format/count-text.ts'
import type { Refusal } from './check-storage.ts'
import { useUploads } from './uploads.tsx'

/** Said before a byte is sent. */
export function RefusalNote({ refusal }: { refusal: Refusal }) {
  const uploads = useUploads()
  const { files, fitting, needed, available } = refusal
  const [first] = files
  const isOne = files.length === 1
  return (
    <Alert
      color="red"
      title="Not enough storage"
      icon={<IconDatabaseOff aria-hidden />}
      withCloseButton
      closeButtonLabel="Dismiss"
      onClose={uploads.dismissRefusal}
      role="alert"
    >
      <Text size="sm" lineClamp={6}>
        {isOne ? <Quoted>{first?.name}</Quoted> : `These ${countText(files.length, 'file')}`}{' '}
        {isOne ? 'needs' : 'need'} {formatSize(needed)}, and {formatSize(available)} is free.{' '}
        {isOne ? 'It was not sent.' : 'None of them was sent.'} Delete files that you need no more,
        or raise the plan.
      </Text>
      <Group gap="xs" mt="xs">
        {fitting.length > 0 && (
          <Button size="compact-sm" onClick={uploads.addFitting}>
            Upload {countText(fitting.length, 'file')} that {fitting.length === 1 ? 'fits' : 'fit'}
          </Button>
        )}
        <Button size="compact-sm" variant="default" component={Link} href="/storage">
          See what takes the space
        </Button>
      </Group>
    </Alert>
  )
}

function Quoted({ children }: { children: string | undefined }) {
  return (
    <>
      “<bdi dir="auto">{children}</bdi>”
    </>
  )
}
