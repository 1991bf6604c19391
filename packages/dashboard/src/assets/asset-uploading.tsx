import { Button, FileButton, Group, Paper, Stack, Text, Title } from '@mantine/core'
import type { Asset } from '@stowage/client'
import { formatSize } from '@stowage/protocol/format'
import { useQueryClient } from '@tanstack/react-query'
import { useOnline } from '../components/use-online.ts'
import { May } from '../session/require-scope.tsx'
import { GiveUp } from '../uploads/discard-upload.tsx'
import type { OfferedUpload } from '../uploads/resumable-upload.ts'
import { uploadWords } from '../uploads/status-text.ts'
import { useUploads, useUploadsState } from '../uploads/uploads.tsx'
import classes from './asset-page.module.css'

/** Its bytes are still on their way, from here or from elsewhere. */
export function AssetUploading({ asset }: { asset: Asset }) {
  const uploads = useUploads()
  const queries = useQueryClient()
  const { items } = useUploadsState()
  const isOnline = useOnline()
  const here = items.find(({ id }) => id === asset.id)
  const offer: OfferedUpload = {
    id: asset.id,
    name: asset.filename,
    size: asset.bytes,
    startedAt: asset.created_at,
    problem: undefined,
  }
  return (
    <Paper withBorder p="lg">
      <Stack gap="sm">
        <Title order={1} size="h2" className={classes.name}>
          <bdi dir="auto">{asset.filename}</bdi>
        </Title>
        <Text>This file is still being uploaded ({formatSize(asset.bytes)} in all).</Text>
        {here !== undefined && <Text c="dimmed">{uploadWords(here, isOnline)}</Text>}
        {here === undefined && (
          <May scope="write">
            <Text c="dimmed">
              Not from here. If it was left unfinished, it goes on from what has arrived once you
              choose the same file. If nobody goes on with it, it is removed by itself.
            </Text>
            <Group gap="xs">
              <FileButton onChange={(file) => file && uploads.goOnWith(offer, file)}>
                {(props) => <Button {...props}>Choose the file to go on</Button>}
              </FileButton>
              <GiveUp
                variant="default"
                offer={offer}
                onDone={() => void queries.invalidateQueries()}
              />
            </Group>
          </May>
        )}
      </Stack>
    </Paper>
  )
}
