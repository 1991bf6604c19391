import { Button, FileButton, Group, Stack, Text, Title } from '@mantine/core'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import type { DragEvent } from 'react'
import { useSearch } from 'wouter'
import { EmptyState } from '../components/empty-state.tsx'
import { ErrorAlert } from '../components/error-alert.tsx'
import { PageLinks } from '../components/page-links.tsx'
import { ResultCount } from '../components/result-count.tsx'
import { readPage } from '../components/url-query.ts'
import { useTitle } from '../components/use-title.ts'
import { IconCircleCheck, IconUpload } from '../icons/icons.ts'
import { RequireScope, useHasScope } from '../session/require-scope.tsx'
import { useClient } from '../session/session.tsx'
import { droppedFiles } from './dropped-files.ts'
import { pickFiles } from './picked-file.ts'
import { UnfinishedTable } from './unfinished-table.tsx'
import { useResumeFiles } from './use-resume-files.ts'

const PER_PAGE = 100
/** The list is loaded again at this interval, because other people and other programs upload too. */
const REFETCH_MS = 5_000

/** All unfinished uploads of the account, wherever they were started. */
export function UnfinishedPage() {
  useTitle('Unfinished uploads')
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
          Unfinished uploads
        </Title>
        {!isEmpty && (
          <RequireScope scope="write">
            <FileButton multiple onChange={(files) => resume(pickFiles(files))}>
              {(props) => (
                <Button {...props} leftSection={<IconUpload size={18} aria-hidden />}>
                  Choose files to resume
                </Button>
              )}
            </FileButton>
          </RequireScope>
        )}
      </Group>
      {error !== null && (
        <ErrorAlert
          title="Could not load the unfinished uploads"
          error={error}
          onRetry={() => void refetch()}
        />
      )}
      {isEmpty && (
        <EmptyState Icon={IconCircleCheck} color="dimmed" title="No unfinished uploads">
          <Text c="dimmed">Uploads that were interrupted are listed here until they expire.</Text>
        </EmptyState>
      )}
      {!isEmpty && (data !== undefined || error === null) && (
        <>
          <Text size="sm" c="dimmed">
            Choose or drop one or more files to resume their uploads. Files are matched by name,
            size and folder.
          </Text>
          <ResultCount total={data?.meta.total} noun="upload" isFiltered={false} />
          <UnfinishedTable uploads={data?.data} isStale={isPlaceholderData} />
        </>
      )}
      {data !== undefined && !isEmpty && (
        <PageLinks
          label="Pages of uploads"
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
    queryKey: ['uploads', page],
    queryFn: ({ signal }) => client.uploads({ limit: PER_PAGE, signal }).page(page),
    placeholderData: keepPreviousData,
    refetchInterval: REFETCH_MS,
  })
}
