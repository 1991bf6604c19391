import { Group, Paper, Progress, Stack, Text } from '@mantine/core'
import type { BulkJob } from '@stowage/client'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { ActionButton } from '../components/action-button.tsx'
import { notify } from '../components/notifications.tsx'
import { errorText } from '../format.ts'
import { bulk } from '../i18n/en/bulk.ts'
import { fill, plural } from '../i18n/texts.ts'
import { changedBy, queryKeys } from '../query-keys.ts'
import { useClient } from '../session/session.tsx'

const RUNNING_MS = 1_000

/** The running changes of all matches of a filter: also those that were started elsewhere, and before a reload. */
export function BulkProgress() {
  const client = useClient()
  const { data = [] } = useQuery({
    queryKey: queryKeys.bulkJobs(),
    queryFn: ({ signal }) => client.bulkJobs({ signal }),
    refetchInterval: ({ state }) => (state.data?.some(isRunning) ? RUNNING_MS : false),
    retry: false,
  })
  const running = data.filter(isRunning)
  if (running.length === 0) return null
  return (
    <Stack component="section" aria-label={bulk.region} gap="xs" mb="md">
      {running.map((job) => (
        <RunningJob key={job.id} job={job} />
      ))}
    </Stack>
  )
}

function isRunning({ status }: BulkJob): boolean {
  return status === 'running'
}

function RunningJob({ job: { id, action, done, total } }: { job: BulkJob }) {
  const client = useClient()
  const queries = useQueryClient()
  const { mutate, isPending } = useMutation({
    mutationFn: () => client.cancelBulk(id),
    onError: (error) =>
      notify({ isError: true, title: bulk.stopFailed, message: errorText(error) }),
    onSettled: () => queries.invalidateQueries(changedBy('asset.updated')),
  })
  const title = plural(bulk.running[action], total)
  return (
    <Paper withBorder p="xs">
      <Group justify="space-between" wrap="nowrap" mb={6}>
        <Text size="sm">
          {title} · {fill(bulk.done, { done, total })}
        </Text>
        <ActionButton
          size="compact-sm"
          variant="subtle"
          color="gray"
          isBusy={isPending}
          onClick={() => mutate()}
        >
          {bulk.stop}
        </ActionButton>
      </Group>
      <Progress value={(100 * done) / total} aria-label={title} />
    </Paper>
  )
}
