import { Alert, Button, Group, Text } from '@mantine/core'
import { formatSize } from '@stowage/protocol/format'
import { Link } from 'wouter'
import { useFocusHandover } from '../components/use-focus-handover.ts'
import { countText } from '../format/count-text.ts'
import { IconDatabaseOff } from '../icons/icons.ts'
import type { StorageShortage } from './check-storage.ts'
import { useUploads } from './uploads.tsx'

/** Reports files that do not fit into the plan, before anything is uploaded. */
export function StorageAlert({ shortage }: { shortage: StorageShortage }) {
  const uploads = useUploads()
  const alert = useFocusHandover<HTMLDivElement>()
  const { files, fitting, needed, available } = shortage
  const [first] = files
  const isSingle = files.length === 1
  return (
    <Alert
      ref={alert}
      color="red"
      title="Not enough storage"
      icon={<IconDatabaseOff aria-hidden />}
      withCloseButton
      closeButtonLabel="Dismiss"
      onClose={uploads.dismissShortage}
      role="alert"
    >
      <Text size="sm" lineClamp={6}>
        {isSingle ? (
          <Quoted>{first?.file.name}</Quoted>
        ) : (
          `These ${countText(files.length, 'file')}`
        )}{' '}
        {isSingle ? 'needs' : 'need'} {formatSize(needed)}, but only {formatSize(available)} is
        available. {isSingle ? 'It was not uploaded.' : 'None of them was uploaded.'} Delete files
        that you no longer need, or ask the operator of the service to upgrade the plan.
      </Text>
      <Group gap="xs" mt="xs">
        {fitting.length > 0 && (
          <Button size="compact-sm" onClick={uploads.addFitting}>
            Upload {countText(fitting.length, 'file')} that {fitting.length === 1 ? 'fits' : 'fit'}
          </Button>
        )}
        <Button size="compact-sm" variant="default" component={Link} href="/storage">
          View storage usage
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
