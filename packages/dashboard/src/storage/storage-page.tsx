import { Paper, Skeleton, Stack, Title } from '@mantine/core'
import type { ReactNode } from 'react'
import { Problem } from '../shell/problem.tsx'
import { useTitle } from '../shell/use-title.ts'
import { LargestFiles } from './largest-files.tsx'
import classes from './storage.module.css'
import { StorageMeter } from './storage-meter.tsx'
import { UsageByType } from './usage-by-type.tsx'
import { useAccount, useLargestFiles, useUsage } from './use-storage.ts'

export function StoragePage() {
  useTitle('Storage')
  const account = useAccount()
  const usage = useUsage()
  const largest = useLargestFiles()
  return (
    <Stack gap="lg">
      <Title order={1} size="h2">
        Storage
      </Title>
      <Part of={account} title="Plan" id="plan">
        {(data) => <StorageMeter account={data} />}
      </Part>
      <div className={classes.columns}>
        <Part of={usage} title="By type" id="types">
          {({ types }) => <UsageByType types={types} />}
        </Part>
        <Part of={largest} title="Largest files" id="largest">
          {({ data }) => <LargestFiles files={data} />}
        </Part>
      </div>
    </Stack>
  )
}

interface PartProps<Data> {
  of: { data: Data | undefined; error: unknown; refetch(): unknown }
  title: string
  id: string
  children(data: Data): ReactNode
}

/** Each comes and fails by itself. */
function Part<Data>({ of, title, id, children }: PartProps<Data>) {
  const { data, error, refetch } = of
  return (
    <Paper component="section" withBorder p="lg" aria-labelledby={id}>
      <Title order={2} size="h5" id={id} mb="md">
        {title}
      </Title>
      {error !== null && (
        <Problem title="This can’t be read" error={error} onRetry={() => void refetch()} />
      )}
      {error === null && data === undefined && (
        <Skeleton h={120} role="status" aria-label="Loading" />
      )}
      {error === null && data !== undefined && children(data)}
    </Paper>
  )
}
