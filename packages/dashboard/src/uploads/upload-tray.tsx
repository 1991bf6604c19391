import {
  Anchor,
  Collapse,
  Group,
  Paper,
  Progress,
  ScrollArea,
  Stack,
  Text,
  Title,
  VisuallyHidden,
} from '@mantine/core'
import { useMergedRef } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { type PointerEvent, useLayoutEffect, useRef, useState } from 'react'
import { Link, useLocation } from 'wouter'
import { useHeightProperty, useTitleProgress } from '../components/page.tsx'
import { type Connection, useConnection } from '../components/service.ts'
import { numberText, sizeText } from '../format.ts'
import { common } from '../i18n/en/common.ts'
import { uploads as texts } from '../i18n/en/uploads.ts'
import { fill, plural } from '../i18n/texts.ts'
import {
  IconChecks,
  IconChevronDown,
  IconChevronUp,
  IconPlayerPause,
  IconPlayerPlay,
  IconPlayerStop,
  IconX,
} from '../icons/icons.tsx'
import { queryKeys } from '../query-keys.ts'
import { useClient } from '../session/session.tsx'
import { CancelUploadDialog } from './cancel-upload.tsx'
import { isEnded, paceText, totalsOf, type UploadItem, type UploadTotals } from './upload-item.ts'
import { IconButtons, ResumableRow, UploadRow } from './upload-row.tsx'
import classes from './upload-tray.module.css'
import { useUploads, useUploadsState } from './uploads.tsx'
import { StorageAlert, WaitingFiles } from './waiting-files.tsx'

/** The maximum number of rows: a folder may contain more files than a page can show. */
const MAX_ROWS = 50

/** Stays at the bottom of every page for as long as it has anything to show. */
export function UploadTray() {
  const uploads = useUploads()
  const { items, refused, waiting, ...state } = useUploadsState()
  const [path] = useLocation()
  // The page of unfinished uploads lists them itself.
  const resumable = path === '/uploads' ? [] : state.resumable
  const [cancelling, setCancelling] = useState<UploadItem | 'all'>()
  const connection = useConnection()
  const totals = totalsOf(items)
  const otherRows = resumable.length + waiting.length
  const isDone = totals.files > 0 && totals.done === totals.files
  const isAllDone = isDone && otherRows === 0 && refused.length === 0
  const { tray: element, isOpen, toggle, leave } = useTrayOpen({ isAllDone, path })
  const tray = useMergedRef(element, useHeightProperty('--tray-height'))
  useTitleProgress(totals.active > 0 ? percentOf(totals) : undefined)
  if (items.length + otherRows === 0 && refused.length === 0) return null
  const rows = inDisplayOrder(items)
  const cancel = () => (cancelling === 'all' ? uploads.cancelAll() : remove(cancelling))
  const remove = (item: UploadItem | undefined) => item && uploads.remove(item.key)
  return (
    <Paper
      ref={tray}
      component="section"
      aria-label={texts.uploads}
      className={classes.tray}
      onPointerLeave={leave}
      data-small={(isAllDone && !isOpen) || undefined}
      withBorder
      shadow="md"
    >
      {refused.length > 0 && <StorageAlert files={refused} />}
      {waiting.length > 0 && <WaitingFiles files={waiting} />}
      {items.length > 0 && (
        <TrayHeader
          totals={totals}
          connection={connection}
          hasLooseFiles={items.some(isLoose)}
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
                  {texts.unfinished}
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
                  connection={connection}
                  onConfirmCancel={setCancelling}
                />
              ))}
            </ul>
            {rows.length > MAX_ROWS && (
              <Text size="sm" c="dimmed" py="xs">
                {plural(texts.moreFiles, rows.length - MAX_ROWS)}
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

/** Never `100%` before the end. */
function percentOf({ bytes, total }: UploadTotals): string {
  return `${total === 0 ? 0 : Math.min(99, Math.floor((100 * bytes) / total))}%`
}

function subjectOf(cancelling: UploadItem | 'all' | undefined, totals: UploadTotals): string {
  if (cancelling === 'all')
    return plural(common.uploads, totals.active + totals.paused + totals.failed)
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
  const state = active > 0 ? plural(texts.uploadingFiles, files) : plural(texts.uploadedFiles, done)
  if (failed === 0) return state
  return fill(texts.withFailed, { state, failed: plural(texts.failedFiles, failed) })
}

/** The list of assets without a product, with a suggestion for each: the newest first. */
const SUGGESTIONS_URL = '/?show=no-product&suggest=true'

/** Whether it is a new file that was not uploaded for a product. */
function isLoose({ progress, attach, replaces }: UploadItem): boolean {
  return progress.state === 'ready' && attach === undefined && replaces === undefined
}

interface TrayHeaderProps {
  totals: UploadTotals
  connection: Connection
  /** Whether a file belongs to no product. */
  hasLooseFiles: boolean
  isOpen: boolean
  onToggle(): void
  onCancelAll(): void
}

/** The total progress of all uploads. */
function TrayHeader(props: TrayHeaderProps) {
  const { totals, connection, hasLooseFiles, isOpen, onToggle, onCancelAll } = props
  const uploads = useUploads()
  const { files, done, failed, paused, active, bytes, total } = totals
  const isDone = done === files
  // The row of a single file shows the same.
  const hasFigures = isOpen ? files > 1 : !isDone
  const pause = { label: texts.pauseAll, Icon: IconPlayerPause, run: uploads.pauseAll }
  const resume = { label: texts.resumeAll, Icon: IconPlayerPlay, run: uploads.resumeAll }
  const cancel = { label: texts.cancelAll, Icon: IconPlayerStop, run: onCancelAll }
  // Once all uploads are done, this button closes the tray.
  const clear = {
    label: texts.clearFinished,
    Icon: isDone ? IconX : IconChecks,
    run: uploads.clearDone,
  }
  const toggle = {
    label: isOpen ? texts.hideFiles : texts.showFiles,
    Icon: isOpen ? IconChevronDown : IconChevronUp,
    run: onToggle,
  }
  const actions = [
    active > 0 ? pause : paused > 0 ? resume : undefined,
    active + paused > 1 ? cancel : undefined,
    done > 0 ? clear : undefined,
    toggle,
  ]
  return (
    <Stack gap={4} px="md" py="sm">
      <Group wrap="nowrap" justify="space-between" gap="xs">
        <Text fw={600} size="sm">
          {titleOf(totals, connection)}
        </Text>
        <IconButtons actions={actions} />
      </Group>
      {isDone && hasLooseFiles && <AttachLink />}
      {!isDone && hasFigures && (
        <Progress
          value={total === 0 ? 0 : (100 * bytes) / total}
          aria-label={texts.progressOfAll}
        />
      )}
      {hasFigures && (
        <Text size="xs" c="dimmed">
          {fill(texts.doneOf, { done: sizeText(bytes), size: sizeText(total) })}
          {connection === 'ok' && paceText(totals)}
          {failed > 0 && ` · ${fill(texts.failed, { count: failed })}`}
        </Text>
      )}
    </Stack>
  )
}

/** Nothing if every asset has a product by now. */
function AttachLink() {
  const client = useClient()
  const { data } = useQuery({
    queryKey: queryKeys.assetList({ attached: false, limit: 1 }),
    queryFn: ({ signal }) => client.assets({ attached: false, limit: 1, signal }).page(),
  })
  if (data === undefined || data.data.length === 0) return null
  return (
    <Anchor component={Link} href={SUGGESTIONS_URL} size="sm" w="fit-content">
      {texts.attachToProducts}
    </Anchor>
  )
}

function titleOf(
  { files, done, failed, paused, active }: UploadTotals,
  connection: Connection,
): string {
  const doneText = () => plural(texts.doneOfFiles, files, { done: numberText(done) })
  if (active > 0) return `${texts[ACTIVE_TITLES[connection]]} · ${doneText()}`
  if (paused > 0) return `${texts.paused} · ${doneText()}`
  if (failed > 0) return plural(texts.uploadedOfFiles, files, { done: numberText(done) })
  return plural(texts.uploadedFiles, files)
}

const ACTIVE_TITLES = {
  ok: 'uploading',
  offline: 'offline',
  down: 'waitingForService',
} as const satisfies Record<Connection, string>

/**
 * Whether the tray shows its files. Once all uploads are done, it closes, so that it does not cover the list that now
 * has the files: at once, or, if the user points at it or has the focus in it, when the pointer leaves it or another
 * page opens. New uploads open it again, unless the user has closed it.
 */
function useTrayOpen({ isAllDone, path }: { isAllDone: boolean; path: string }) {
  const tray = useRef<HTMLElement>(null)
  const [state, setState] = useState({ isOpen: true, wasClosed: false, path })
  const isKept = useRef(false)
  // Set while rendering, so that the next page never appears with the open tray.
  if (path !== state.path) {
    const closes = isAllDone && state.isOpen
    setState({ path, isOpen: state.isOpen && !closes, wasClosed: closes || state.wasClosed })
  } else if (!isAllDone && state.wasClosed) {
    setState({ path, isOpen: true, wasClosed: false })
  }

  const close = () =>
    setState((before) => (before.isOpen ? { ...before, isOpen: false, wasClosed: true } : before))

  // biome-ignore lint/correctness/useExhaustiveDependencies: it closes once, when all uploads are done
  useLayoutEffect(() => {
    isKept.current = false
    if (isAllDone && !tray.current?.matches(':hover, :focus-within')) close()
  }, [isAllDone])

  return {
    tray,
    isOpen: state.isOpen,
    toggle() {
      isKept.current = !state.isOpen
      setState({ path, isOpen: !state.isOpen, wasClosed: false })
    },
    /** Not for touches, which leave before their click. */
    leave({ pointerType }: PointerEvent) {
      if (isAllDone && !isKept.current && pointerType === 'mouse') close()
    },
  }
}
