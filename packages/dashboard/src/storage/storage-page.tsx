import { Stack, Title } from '@mantine/core'
import { LoadedSection } from '../components/loaded-section.tsx'
import { useTitle } from '../components/use-title.ts'
import { useAccount } from '../session/use-account.ts'
import { LargestFiles } from './largest-files.tsx'
import classes from './storage.module.css'
import { StorageMeter } from './storage-meter.tsx'
import { UsageByType } from './usage-by-type.tsx'
import { useLargestFiles, useUsage } from './use-storage.ts'

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
      <LoadedSection query={account} title="Plan">
        {(data) => <StorageMeter account={data} />}
      </LoadedSection>
      <div className={classes.columns}>
        <LoadedSection query={usage} title="By type">
          {({ types }) => <UsageByType types={types} />}
        </LoadedSection>
        <LoadedSection query={largest} title="Largest files">
          {({ data }) => <LargestFiles files={data} stored={account.data?.stored} />}
        </LoadedSection>
      </div>
    </Stack>
  )
}
