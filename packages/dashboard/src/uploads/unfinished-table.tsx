import {
  Anchor,
  Box,
  Button,
  FileButton,
  Group,
  Progress,
  Skeleton,
  Table,
  Text,
} from '@mantine/core'
import type { ListedUpload, UploadState } from '@stowage/client'
import { formatSize } from '@stowage/protocol/format'
import { useQueryClient } from '@tanstack/react-query'
import { Link } from 'wouter'
import { DateTime } from '../components/date-time.tsx'
import { ListTable } from '../components/list-table.tsx'
import { Name } from '../components/name.tsx'
import { dismissNotices, notify } from '../components/notify.ts'
import { useFocusHandover } from '../components/use-focus-handover.ts'
import { nameWithFolder } from '../format/name-with-folder.ts'
import { RequireScope } from '../session/require-scope.tsx'
import { DiscardUpload } from './discard-upload.tsx'
import { mismatchText } from './resumable-upload.ts'
import { useUploads, useUploadsState } from './uploads.tsx'
import { resumableOf } from './use-resume-files.ts'

/**
 * Shown instead of buttons, because the tray controls the uploads of this tab. A completed upload has no text: it
 * disappears with the next refresh.
 */
const STATE_TEXTS: Partial<Record<UploadState, string>> = {
  waiting: 'Uploading in this tab',
  sending: 'Uploading in this tab',
  finishing: 'Uploading in this tab',
  paused: 'Paused in this tab',
  stopped: 'Stopped in this tab',
}

interface Props {
  /** Undefined while the first page is loading. */
  uploads: readonly ListedUpload[] | undefined
  isStale: boolean
}

export function UnfinishedTable({ uploads, isStale }: Props) {
  return (
    <ListTable
      items={uploads}
      isStale={isStale}
      head={
        <>
          <Table.Th>Name</Table.Th>
          <Table.Th visibleFrom="sm">Received</Table.Th>
          <Table.Th visibleFrom="md">Started</Table.Th>
          <Table.Th visibleFrom="md">Expires</Table.Th>
          <Table.Th ta="end">Actions</Table.Th>
        </>
      }
      row={(upload) => <UploadRow key={upload.upload_id} upload={upload} />}
      skeletonRow={(width) => (
        <Table.Tr>
          <Table.Td colSpan={5}>
            <Skeleton w={`${width}%`} h={16} my={3} />
          </Table.Td>
        </Table.Tr>
      )}
    />
  )
}

function UploadRow({ upload }: { upload: ListedUpload }) {
  const row = useFocusHandover<HTMLTableRowElement>()
  const queries = useQueryClient()
  const { items } = useUploadsState()
  // Until the chosen file has been compared with the upload, the item has no ID of its own, only that of the
  // upload that it resumes.
  const item = items.find(({ id, resumed }) => (id ?? resumed?.id) === upload.id)
  const here = item && STATE_TEXTS[item.progress.state]
  const { resumeWith } = useUploads()
  const { filename, path, created_at, expires_at, started_by } = upload
  const resumable = resumableOf(upload)
  const label = nameWithFolder(upload)
  const resume = (file: File) => {
    const problem = mismatchText(resumable, file)
    const about = [upload.id, filename]
    if (problem !== undefined)
      notify({ isError: true, title: 'Not resumed', message: problem, about })
    else {
      dismissNotices(about)
      resumeWith(resumable, file)
    }
  }
  return (
    <Table.Tr ref={row}>
      <Table.Td maw={0} w="100%">
        <Box fz="sm" fw={500}>
          {upload.is_replacement ? (
            <Anchor component={Link} href={`/assets/${upload.id}`} inherit>
              <Name>{filename}</Name>
            </Anchor>
          ) : (
            <Name>{filename}</Name>
          )}
        </Box>
        {upload.is_replacement && (
          <Box fz="xs" c="dimmed">
            New version of an asset
          </Box>
        )}
        {path !== null && (
          <Box fz="xs" c="dimmed">
            <Name>{path}</Name>
          </Box>
        )}
        <Box hiddenFrom="sm" fz="xs" c="dimmed">
          {receivedText(upload)}
        </Box>
      </Table.Td>
      <Table.Td visibleFrom="sm" miw={170}>
        <Text inherit>{receivedText(upload)}</Text>
        <Progress value={percentOf(upload)} size="sm" mt={4} aria-label={`Progress of ${label}`} />
      </Table.Td>
      <Table.Td visibleFrom="md">
        <DateTime value={created_at} />
        {started_by && (
          <Name fz="xs" c="dimmed">
            {`by ${started_by.name}`}
          </Name>
        )}
      </Table.Td>
      <Table.Td visibleFrom="md">
        <DateTime value={expires_at} />
      </Table.Td>
      <Table.Td>
        <RequireScope scope="write">
          {here !== undefined ? (
            <Text size="sm" c="dimmed" ta="end">
              {here}
            </Text>
          ) : (
            <Group gap={4} justify="flex-end" wrap="nowrap">
              {!upload.is_replacement && (
                <FileButton onChange={(file) => file && resume(file)}>
                  {(props) => (
                    <Button
                      {...props}
                      size="compact-sm"
                      variant="light"
                      aria-label={`Resume ${label}`}
                    >
                      Resume
                    </Button>
                  )}
                </FileButton>
              )}
              <DiscardUpload
                size="compact-sm"
                variant="subtle"
                color="red"
                aria-label={`Discard ${label}`}
                upload={resumable}
                onDone={() => void queries.invalidateQueries()}
              />
            </Group>
          )}
        </RequireScope>
      </Table.Td>
    </Table.Tr>
  )
}

/** The received bytes are unknown if the storage does not respond in time. */
function receivedText({ received_bytes: received, bytes }: ListedUpload): string {
  const size = formatSize(bytes)
  return received === null
    ? `${size}, received bytes unknown`
    : `${formatSize(received)} of ${size}`
}

function percentOf({ received_bytes: received, bytes }: ListedUpload): number {
  return bytes === 0 ? 0 : (100 * (received ?? 0)) / bytes
}
