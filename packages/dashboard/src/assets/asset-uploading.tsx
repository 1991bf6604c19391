import { Button, FileButton, Group, Paper, Stack, Text, Title } from '@mantine/core'
import type { Asset } from '@stowage/client'
import { formatSize } from '@stowage/protocol/format'
import { useQueryClient } from '@tanstack/react-query'
import { useFocusHandover } from '../components/use-focus-handover.ts'
import { useOnline } from '../components/use-online.ts'
import { RequireScope } from '../session/require-scope.tsx'
import { DiscardUpload } from '../uploads/discard-upload.tsx'
import type { ResumableUpload } from '../uploads/resumable-upload.ts'
import { statusText } from '../uploads/status-text.ts'
import { useUploads, useUploadsState } from '../uploads/uploads.tsx'
import classes from './asset-page.module.css'

/** An asset whose upload has not finished, in this tab or elsewhere. */
export function AssetUploading({ asset }: { asset: Asset }) {
  const { items } = useUploadsState()
  const isOnline = useOnline()
  const item = items.find(({ id }) => id === asset.id)
  return (
    <Paper withBorder p="lg">
      <Stack gap="sm">
        <Title order={1} size="h2" className={classes.name}>
          <bdi dir="auto">{asset.filename}</bdi>
        </Title>
        <Text>The upload of this file ({formatSize(asset.bytes)}) is not complete.</Text>
        {item !== undefined && <Text c="dimmed">{statusText(item, isOnline)}</Text>}
        {item === undefined && (
          <RequireScope scope="write">
            <ResumeUpload asset={asset} />
          </RequireScope>
        )}
      </Stack>
    </Paper>
  )
}

function ResumeUpload({ asset }: { asset: Asset }) {
  const uploads = useUploads()
  const queries = useQueryClient()
  const controls = useFocusHandover<HTMLDivElement>()
  const upload: ResumableUpload = {
    id: asset.id,
    name: asset.filename,
    size: asset.bytes,
    path: asset.path,
    startedAt: asset.created_at,
    problem: undefined,
  }
  return (
    <>
      <Text c="dimmed">
        The upload is not running in this tab. If it was interrupted, choose the same file to resume
        it. Uploads that are not resumed expire and are removed.
      </Text>
      <Group ref={controls} gap="xs">
        <FileButton onChange={(file) => file && uploads.resumeWith(upload, file)}>
          {(props) => <Button {...props}>Choose file to resume</Button>}
        </FileButton>
        <DiscardUpload
          variant="default"
          upload={upload}
          onDone={() => void queries.invalidateQueries()}
        />
      </Group>
    </>
  )
}
