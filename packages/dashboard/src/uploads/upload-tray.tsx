import { Collapse, Paper, ScrollArea, Stack, Text, Title, VisuallyHidden } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useOnline } from '../components/use-online.ts'
import { countText } from '../format/count-text.ts'
import { OfferRow } from './resumable-row.tsx'
import { RefusalNote } from './storage-alert.tsx'
import { TrayHeader } from './tray-header.tsx'
import { isOver, totalsOf, type UploadItem, type UploadTotals } from './upload-item.ts'
import { UploadRow } from './upload-row.tsx'
import classes from './upload-tray.module.css'
import { useUploadsState } from './uploads.tsx'

/** A folder may hold more files than a page can show. */
const MOST_ROWS = 50

/** Stays at the bottom, wherever people are, for as long as there is anything in it. */
export function UploadTray() {
  const { items, offered, refusal } = useUploadsState()
  const [isOpen, { toggle }] = useDisclosure(true)
  const isOnline = useOnline()
  if (items.length + offered.length === 0 && refusal === undefined) return null
  const totals = totalsOf(items)
  const rows = inOrder(items)
  return (
    <Paper component="section" aria-label="Uploads" className={classes.tray} withBorder shadow="md">
      {refusal !== undefined && <RefusalNote refusal={refusal} />}
      {items.length > 0 && (
        <TrayHeader totals={totals} isOnline={isOnline} isOpen={isOpen} onToggle={toggle} />
      )}
      <VisuallyHidden role="status">{announcement(totals)}</VisuallyHidden>
      <Collapse expanded={isOpen || items.length === 0}>
        <ScrollArea.Autosize mah="min(320px, 45dvh)" type="auto" viewportProps={{ tabIndex: 0 }}>
          <Stack gap={0} px="md" pb="xs">
            {offered.length > 0 && (
              <>
                <Title order={2} size="h6" pt="sm">
                  Not finished before this page was loaded
                </Title>
                <ul className={classes.list}>
                  {offered.map((offer) => (
                    <OfferRow key={offer.id} offer={offer} />
                  ))}
                </ul>
              </>
            )}
            <ul className={classes.list}>
              {rows.slice(0, MOST_ROWS).map((item) => (
                <UploadRow key={item.key} item={item} isOnline={isOnline} />
              ))}
            </ul>
            {rows.length > MOST_ROWS && (
              <Text size="sm" c="dimmed" py="xs">
                and {countText(rows.length - MOST_ROWS, 'file')} more
              </Text>
            )}
          </Stack>
        </ScrollArea.Autosize>
      </Collapse>
    </Paper>
  )
}

/** What needs a person first, then what moves, then what waits, then what is done. */
function inOrder(items: readonly UploadItem[]): UploadItem[] {
  const rank = (item: UploadItem) => {
    const { state } = item.progress
    if (state === 'stopped') return 0
    if (isOver(item)) return 3
    return state === 'waiting' ? 2 : 1
  }
  return items.toSorted((a, b) => rank(a) - rank(b))
}

/** Changes seldom, so that it is read out seldom. */
function announcement({ files, done, failed, underWay }: UploadTotals): string {
  if (files === 0) return ''
  const ends = failed > 0 ? `, ${countText(failed, 'file')} failed` : ''
  if (underWay > 0) return `Uploading ${countText(files, 'file')}${ends}`
  return `${countText(done, 'file')} uploaded${ends}`
}
