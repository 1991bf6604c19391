import { Anchor, Box, Button, Group, Progress, Stack, Table, Text, Title } from '@mantine/core'
import type { ListedUpload, UploadState } from '@stowage/client'
import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query'
import type { DragEvent } from 'react'
import { Link, useSearch } from 'wouter'
import { FileButton } from '../components/file-button.tsx'
import { useFocusHandover } from '../components/focus.ts'
import { ListTable, PageLinks, ResultCount } from '../components/lists.tsx'
import { dismissNotices, notify } from '../components/notifications.tsx'
import { useTitle } from '../components/page.tsx'
import { EmptyState, ErrorAlert } from '../components/page-states.tsx'
import { readPage } from '../components/url-query.ts'
import { DateTime, Name } from '../components/values.tsx'
import { nameWithFolder, sizeText } from '../format.ts'
import { uploads as texts } from '../i18n/en/uploads.ts'
import { fill, plural } from '../i18n/texts.ts'
import { IconCircleCheck, IconUpload } from '../icons/icons.tsx'
import { changedBy, queryKeys } from '../query-keys.ts'
import { RequireScope, useHasScope } from '../session/account.tsx'
import { useClient } from '../session/session.tsx'
import { DiscardUpload } from './cancel-upload.tsx'
import { droppedFiles, type PickedFile, pickFiles } from './picked-file.ts'
import { findUploadOf, mismatchText, type ResumableUpload } from './resumable-upload.ts'
import { useUploads, useUploadsState } from './uploads.tsx'

const PER_PAGE = 100
/** The list is loaded again at this interval, because other people and other programs upload too. */
const REFETCH_MS = 5_000

/** All unfinished uploads of the account, wherever they were started. */
export function UnfinishedPage() {
  useTitle(texts.unfinished)
  const page = readPage(new URLSearchParams(useSearch()))
  const { data, error, isPlaceholderData, refetch } = useUnfinished(page)
  const resume = useResumeFiles(data?.data ?? [])
  const canWrite = useHasScope('write')
  const isEmpty = data?.meta.total === 0
  // Claims the drop, so that the files are not uploaded as new ones.
  const claim = (event: DragEvent) => event.preventDefault()
  const drop = {
    onDragEnter: claim,
    onDragOver: claim,
    onDrop(event: DragEvent) {
      event.preventDefault()
      void droppedFiles(event.dataTransfer).then(resume)
    },
  }
  return (
    <Stack gap="md" mih="70dvh" {...(canWrite && !isEmpty && drop)}>
      <Group justify="space-between">
        <Title order={1} size="h2">
          {texts.unfinished}
        </Title>
        {!isEmpty && (
          <RequireScope scope="write">
            <FileButton multiple onChange={(files) => resume(pickFiles(files))}>
              {(props) => (
                <Button {...props} leftSection={<IconUpload size={18} aria-hidden />}>
                  {texts.chooseToResume}
                </Button>
              )}
            </FileButton>
          </RequireScope>
        )}
      </Group>
      {error !== null && (
        <ErrorAlert title={texts.unfinishedFailed} error={error} onRetry={() => void refetch()} />
      )}
      {isEmpty && (
        <EmptyState Icon={IconCircleCheck} color="dimmed" title={texts.noUnfinished}>
          <Text c="dimmed">{texts.noUnfinishedHint}</Text>
        </EmptyState>
      )}
      {!isEmpty && (data !== undefined || error === null) && (
        <>
          <Text size="sm" c="dimmed">
            {texts.unfinishedHint}
          </Text>
          <ResultCount total={data?.meta.total} noun="uploads" isFiltered={false} />
          <UnfinishedTable uploads={data?.data} isStale={isPlaceholderData} />
        </>
      )}
      {data !== undefined && !isEmpty && (
        <PageLinks
          label={texts.pages}
          current={page}
          meta={data.meta}
          hrefOf={(number) => `/uploads?page=${number}`}
        />
      )}
    </Stack>
  )
}

function useUnfinished(page: number) {
  const client = useClient()
  return useQuery({
    queryKey: queryKeys.uploads(page),
    queryFn: ({ signal }) => client.uploads({ limit: PER_PAGE, signal }).page(page),
    placeholderData: keepPreviousData,
    refetchInterval: REFETCH_MS,
  })
}

/**
 * Shown instead of buttons, because the tray controls the uploads of this tab. A completed upload has no text: it
 * disappears with the next refresh.
 */
const STATE_TEXTS: Partial<Record<UploadState, 'uploadingHere' | 'pausedHere' | 'stoppedHere'>> = {
  waiting: 'uploadingHere',
  sending: 'uploadingHere',
  finishing: 'uploadingHere',
  paused: 'pausedHere',
  stopped: 'stoppedHere',
}

interface UnfinishedTableProps {
  /** Undefined while the first page is loading. */
  uploads: readonly ListedUpload[] | undefined
  isStale: boolean
}

function UnfinishedTable({ uploads, isStale }: UnfinishedTableProps) {
  return (
    <ListTable
      items={uploads}
      isStale={isStale}
      head={
        <>
          <Table.Th>{texts.name}</Table.Th>
          <Table.Th visibleFrom="sm">{texts.received}</Table.Th>
          <Table.Th visibleFrom="md">{texts.started}</Table.Th>
          <Table.Th visibleFrom="md">{texts.expires}</Table.Th>
          <Table.Th ta="end">{texts.actions}</Table.Th>
        </>
      }
      row={(upload) => <UploadRow key={upload.upload_id} upload={upload} />}
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
  const { filename, path, created_at, upload_expires_at, started_by } = upload
  const resumable = resumableOf(upload)
  const label = nameWithFolder(upload)
  const resume = (file: File) => {
    const problem = mismatchText(resumable, file)
    const about = [upload.id, filename]
    if (problem !== undefined)
      notify({ isError: true, title: texts.notResumed, message: problem, about })
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
            {texts.newVersionOfAsset}
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
        <Progress
          value={percentOf(upload)}
          size="sm"
          mt={4}
          aria-label={fill(texts.progressOf, { name: label })}
        />
      </Table.Td>
      <Table.Td visibleFrom="md">
        <DateTime value={created_at} />
        {started_by && (
          <Name fz="xs" c="dimmed">
            {fill(texts.by, { name: started_by.name })}
          </Name>
        )}
      </Table.Td>
      <Table.Td visibleFrom="md">
        <DateTime value={upload_expires_at} />
      </Table.Td>
      <Table.Td>
        <RequireScope scope="write">
          {here !== undefined ? (
            <Text size="sm" c="dimmed" ta="end">
              {texts[here]}
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
                      aria-label={fill(texts.resumeNamed, { name: label })}
                    >
                      {texts.resume}
                    </Button>
                  )}
                </FileButton>
              )}
              <DiscardUpload
                size="compact-sm"
                variant="subtle"
                color="red"
                aria-label={fill(texts.discardNamed, { name: label })}
                upload={resumable}
                onDone={() => void queries.invalidateQueries(changedBy('upload.cancelled'))}
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
  const size = sizeText(bytes)
  return received === null
    ? fill(texts.receivedUnknown, { size })
    : fill(texts.doneOf, { done: sizeText(received), size })
}

function percentOf({ received_bytes: received, bytes }: ListedUpload): number {
  return bytes === 0 ? 0 : (100 * (received ?? 0)) / bytes
}

/** Resumes the uploads of these files. Each file is matched by name, size and, if it is known, folder. */
function useResumeFiles(listed: readonly ListedUpload[]): (files: readonly PickedFile[]) => void {
  const uploads = useUploads()
  return (files) => {
    const remaining = listed.filter((upload) => !upload.is_replacement).map(resumableOf)
    const unmatched = files.filter((picked) => {
      const upload = findUploadOf(remaining, picked)
      if (upload === undefined) return true
      remaining.splice(remaining.indexOf(upload), 1)
      dismissNotices([upload.id, upload.name])
      uploads.resumeWith(upload, picked.file)
      return false
    })
    if (unmatched.length === 0) return
    const [first] = unmatched
    notify({
      isError: true,
      title: texts.notResumed,
      message:
        unmatched.length === 1
          ? fill(texts.noMatch, { name: first?.file.name ?? '' })
          : plural(texts.noMatchMany, unmatched.length),
      about: unmatched.map(({ file }) => file.name),
    })
  }
}

function resumableOf(upload: ListedUpload): ResumableUpload {
  const { id, filename, bytes, path, created_at, is_replacement } = upload
  return {
    id,
    name: filename,
    size: bytes,
    path,
    startedAt: created_at,
    problem: undefined,
    replacement: is_replacement ? upload.upload_id : undefined,
    received: upload.received_bytes ?? undefined,
  }
}
