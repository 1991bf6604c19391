import { Collapse, Paper, ScrollArea, Stack, Text, Title, VisuallyHidden } from '@mantine/core'
import { useState } from 'react'
import { useLocation } from 'wouter'
import { useHeightProperty } from '../components/use-height-property.ts'
import { useOnline } from '../components/use-online.ts'
import { countText } from '../format/count-text.ts'
import { CancelUploadDialog } from './cancel-upload-dialog.tsx'
import { ResumableRow } from './resumable-row.tsx'
import { StorageAlert } from './storage-alert.tsx'
import { TrayHeader } from './tray-header.tsx'
import { isEnded, totalsOf, type UploadItem, type UploadTotals } from './upload-item.ts'
import { UploadRow } from './upload-row.tsx'
import classes from './upload-tray.module.css'
import { useUploads, useUploadsState } from './uploads.tsx'
import { useTrayOpen } from './use-tray-open.ts'
import { WaitingFiles } from './waiting-files.tsx'

/** The maximum number of rows: a folder may contain more files than a page can show. */
const MAX_ROWS = 50

/** Stays at the bottom of every page for as long as it has anything to show. */
export function UploadTray() {
  const uploads = useUploads()
  const { items, shortage, waiting, ...state } = useUploadsState()
  const [path] = useLocation()
  // The page of unfinished uploads lists them itself.
  const resumable = path === '/uploads' ? [] : state.resumable
  const tray = useHeightProperty('--tray-height')
  const [cancelling, setCancelling] = useState<UploadItem | 'all'>()
  const isOnline = useOnline()
  const totals = totalsOf(items)
  const otherRows = resumable.length + waiting.length
  const isDone = totals.files > 0 && totals.done === totals.files
  const isAllDone = isDone && otherRows === 0 && shortage === undefined
  const { isOpen, toggle } = useTrayOpen({ isAllDone, path })
  if (items.length + otherRows === 0 && shortage === undefined) return null
  const rows = inDisplayOrder(items)
  const cancel = () => (cancelling === 'all' ? uploads.cancelAll() : remove(cancelling))
  const remove = (item: UploadItem | undefined) => item && uploads.remove(item.key)
  return (
    <Paper
      ref={tray}
      component="section"
      aria-label="Uploads"
      className={classes.tray}
      data-small={(isAllDone && !isOpen) || undefined}
      withBorder
      shadow="md"
    >
      {shortage !== undefined && <StorageAlert shortage={shortage} />}
      {waiting.length > 0 && <WaitingFiles files={waiting} />}
      {items.length > 0 && (
        <TrayHeader
          totals={totals}
          isOnline={isOnline}
          isOpen={isOpen}
          onToggle={toggle}
          onCancelAll={() => setCancelling('all')}
        />
      )}
      <VisuallyHidden role="status">{announcementOf(totals)}</VisuallyHidden>
      <Collapse expanded={isOpen || items.length === 0}>
        <ScrollArea.Autosize
          mah="min(320px, 45dvh - var(--selection-height, 0px))"
          type="auto"
          viewportProps={{ tabIndex: 0 }}
        >
          <Stack gap={0} px="md" pb="xs">
            {resumable.length > 0 && (
              <>
                <Title order={2} size="h6" pt="sm">
                  Unfinished uploads
                </Title>
                <ul className={classes.list}>
                  {resumable.map((upload) => (
                    <ResumableRow key={upload.id} upload={upload} />
                  ))}
                </ul>
              </>
            )}
            <ul className={classes.list}>
              {rows.slice(0, MAX_ROWS).map((item) => (
                <UploadRow
                  key={item.key}
                  item={item}
                  isOnline={isOnline}
                  onConfirmCancel={setCancelling}
                />
              ))}
            </ul>
            {rows.length > MAX_ROWS && (
              <Text size="sm" c="dimmed" py="xs">
                and {countText(rows.length - MAX_ROWS, 'more file')}
              </Text>
            )}
          </Stack>
        </ScrollArea.Autosize>
      </Collapse>
      <CancelUploadDialog
        isOpen={cancelling !== undefined}
        isAll={cancelling === 'all'}
        isStopped={cancelling !== 'all' && cancelling?.progress.state === 'stopped'}
        subject={subjectOf(cancelling, totals)}
        onConfirm={cancel}
        onClose={() => setCancelling(undefined)}
      />
    </Paper>
  )
}

function subjectOf(cancelling: UploadItem | 'all' | undefined, totals: UploadTotals): string {
  if (cancelling === 'all')
    return countText(totals.active + totals.paused + totals.failed, 'upload')
  return cancelling?.file.name ?? ''
}

/** Stopped uploads first, then running or paused, then waiting, then finished ones. */
function inDisplayOrder(items: readonly UploadItem[]): UploadItem[] {
  const rank = (item: UploadItem) => {
    const { state } = item.progress
    if (state === 'stopped') return 0
    if (isEnded(item)) return 3
    return state === 'waiting' ? 2 : 1
  }
  return items.toSorted((a, b) => rank(a) - rank(b))
}

/** Contains no progress, because screen readers read out every change. */
function announcementOf({ files, done, failed, active }: UploadTotals): string {
  if (files === 0) return ''
  const failures = failed > 0 ? `, ${countText(failed, 'file')} failed` : ''
  if (active > 0) return `Uploading ${countText(files, 'file')}${failures}`
  return `${countText(done, 'file')} uploaded${failures}`
}
