import { Button, Text, UnstyledButton } from '@mantine/core'
import type { Folder } from '@stowage/client'
import { useQuery } from '@tanstack/react-query'
import { type KeyboardEvent, useState } from 'react'
import { Link } from 'wouter'
import { Dialog } from '../components/dialogs.tsx'
import { ErrorAlert } from '../components/page-states.tsx'
import { Name } from '../components/values.tsx'
import { numberText } from '../format.ts'
import { assets as texts } from '../i18n/en/assets.ts'
import { fill, plural } from '../i18n/texts.ts'
import { IconChevronRight } from '../icons/icons.tsx'
import { queryKeys } from '../query-keys.ts'
import { useClient } from '../session/session.tsx'
import classes from './folder-tree.module.css'

interface TreeProps {
  /** The folder whose assets are listed; empty for all assets. */
  current: string
  /** Whether only the assets without a folder are listed. */
  isNone: boolean
  /** The URL of the list of a folder; without a folder, that of the assets without one. */
  hrefOf(path?: string): string
  onChoose?(): void
}

/** The folders next to the list of assets. */
export function FolderPanel(props: TreeProps) {
  return (
    <div className={classes.panel}>
      <FolderTree {...props} />
    </div>
  )
}

/** The folders on a phone. */
export function FolderDialog({
  isOpen,
  onClose,
  ...props
}: TreeProps & { isOpen: boolean; onClose(): void }) {
  return (
    <Dialog isOpen={isOpen} onClose={onClose} title={texts.folders}>
      <FolderTree {...props} onChoose={onClose} />
    </Dialog>
  )
}

/** Each level is loaded when it is expanded. The arrow keys move between the folders, expand and collapse them. */
function FolderTree(props: TreeProps) {
  const { current, isNone, hrefOf, onChoose } = props
  return (
    <nav aria-label={texts.folders} onKeyDown={moveFocus}>
      <div className={classes.row} data-current={(current === '' && !isNone) || undefined}>
        <Link
          href={hrefOf('')}
          className={classes.link}
          aria-current={current === '' && !isNone ? 'true' : undefined}
          onClick={onChoose}
        >
          <span>{texts.allFolders}</span>
        </Link>
      </div>
      <UnfinishedMoves />
      <Level {...props} parent="" />
      <div className={classes.row} data-current={isNone || undefined}>
        <Link
          href={hrefOf()}
          className={classes.link}
          aria-current={isNone ? 'true' : undefined}
          onClick={onChoose}
        >
          <span>{texts.noFolder}</span>
        </Link>
      </div>
    </nav>
  )
}

const POLL_MS = 2_000

/** The progress of moves that continue in the background. */
function UnfinishedMoves() {
  const client = useClient()
  const { data = [] } = useQuery({
    queryKey: queryKeys.folderMoves(),
    queryFn: async ({ signal }) => {
      const moves = await client.folderMoves({ signal })
      return moves.filter(({ status }) => status === 'moving')
    },
    refetchInterval: ({ state }) => (state.data?.length ? POLL_MS : false),
  })
  return (
    <div role="status">
      {data.map(({ id, from, to, moved }) => (
        <Text key={id} size="xs" c="dimmed" p={6}>
          {plural(texts.movingFolder, moved, { from, to })}
        </Text>
      ))}
    </div>
  )
}

const PER_PAGE = 100

/** The subfolders of a folder. A button shows those that one response does not have. */
function Level({ parent, ...props }: TreeProps & { parent: string }) {
  return (
    <ul className={classes.list}>
      <LevelPage {...props} parent={parent} after="" />
    </ul>
  )
}

function LevelPage({ parent, after, ...props }: TreeProps & { parent: string; after: string }) {
  const client = useClient()
  const [showsMore, setShowsMore] = useState(false)
  const { data, error, refetch } = useQuery({
    queryKey: queryKeys.folders(parent, after),
    queryFn: ({ signal }) =>
      client.folders({ path: parent, limit: PER_PAGE, signal, ...(after !== '' && { after }) }),
  })
  if (error !== null) {
    return (
      <li>
        <ErrorAlert title={texts.foldersFailed} error={error} onRetry={() => void refetch()} />
      </li>
    )
  }
  const isEmpty = data?.data.length === 0 && parent === '' && after === ''
  if (data === undefined || isEmpty) {
    return (
      <Text component="li" size="sm" c="dimmed" p={6}>
        {isEmpty ? texts.noFolders : texts.loading}
      </Text>
    )
  }
  const next = data.meta.next_after
  return (
    <>
      {data.data.map((folder) => (
        <FolderItem key={folder.path} folder={folder} {...props} />
      ))}
      {next !== null && !showsMore && (
        <li>
          <Button size="compact-sm" variant="subtle" onClick={() => setShowsMore(true)}>
            {texts.moreFolders}
          </Button>
        </li>
      )}
      {next !== null && showsMore && <LevelPage {...props} parent={parent} after={next} />}
    </>
  )
}

function FolderItem({ folder, ...props }: TreeProps & { folder: Folder }) {
  const { path, name, assets, assets_is_exact, has_folders } = folder
  const { current, hrefOf, onChoose } = props
  // The folder whose assets are listed is visible at first.
  const [isOpen, setOpen] = useState(() => current.startsWith(`${path}/`))
  const isCurrent = current === path
  return (
    <li>
      <div className={classes.row} data-current={isCurrent || undefined}>
        {has_folders ? (
          <UnstyledButton
            className={classes.toggle}
            aria-expanded={isOpen}
            aria-label={fill(texts.subfoldersOf, { name })}
            onClick={() => setOpen(!isOpen)}
          >
            <IconChevronRight size={14} aria-hidden />
          </UnstyledButton>
        ) : (
          <span className={classes.toggle} />
        )}
        <Link
          href={hrefOf(path)}
          className={classes.link}
          aria-current={isCurrent ? 'true' : undefined}
          title={path}
          onClick={onChoose}
        >
          <Name>{name}</Name>
          <span className={classes.count}>
            {numberText(assets)}
            {!assets_is_exact && '+'}
          </span>
        </Link>
      </div>
      {isOpen && has_folders && <Level {...props} parent={path} />}
    </li>
  )
}

function moveFocus(event: KeyboardEvent<HTMLElement>): void {
  const { key, currentTarget, target } = event
  if (!(target instanceof HTMLElement)) return
  const links = [...currentTarget.querySelectorAll<HTMLElement>('a')]
  const row = target.closest('div')
  const index = links.findIndex((link) => row?.contains(link))
  const toggle = row?.querySelector<HTMLElement>('button')
  const isOpen = toggle?.getAttribute('aria-expanded') === 'true'
  const steps: Record<string, () => void> = {
    ArrowDown: () => links[index + 1]?.focus(),
    ArrowUp: () => links[index - 1]?.focus(),
    Home: () => links[0]?.focus(),
    End: () => links.at(-1)?.focus(),
    ArrowRight: () => (isOpen ? links[index + 1]?.focus() : toggle?.click()),
    ArrowLeft: () =>
      isOpen
        ? toggle?.click()
        : row?.parentElement?.parentElement?.parentElement?.querySelector('a')?.focus(),
  }
  const step = steps[key]
  if (step === undefined || index < 0) return
  event.preventDefault()
  step()
}
