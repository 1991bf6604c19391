import { Alert, Checkbox, Text, TextInput } from '@mantine/core'
import type { FolderMove } from '@stowage/client'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Dialog, DialogForm, fieldProblems } from '../components/dialogs.tsx'
import { notify } from '../components/notifications.tsx'
import { errorText } from '../format.ts'
import { changes as texts } from '../i18n/en/changes.ts'
import { common } from '../i18n/en/common.ts'
import { fill, plural } from '../i18n/texts.ts'
import { changedBy, queryKeys } from '../query-keys.ts'
import { useClient } from '../session/session.tsx'

interface MoveFolderProps {
  path: string
  isOpen: boolean
  onClose(): void
  onMoved(path: string): void
}

/** Renames or moves a folder with everything below it. */
export function MoveFolder({ isOpen, onClose, ...props }: MoveFolderProps) {
  return (
    <Dialog isOpen={isOpen} onClose={onClose} title={texts.moveFolder}>
      <MoveFolderForm {...props} onClose={onClose} />
    </Dialog>
  )
}

function MoveFolderForm({ path, onClose, onMoved }: Omit<MoveFolderProps, 'isOpen'>) {
  const client = useClient()
  const queries = useQueryClient()
  const [text, setText] = useState(path)
  const [isMerge, setMerge] = useState(false)
  const to = trimmed(text)
  const isChanged = to !== '' && to !== path
  const moveBack = async (from: string) => {
    try {
      const result = await client.moveFolder({ from, to: path })
      notify({ message: messageOf(result, { from, to: path }) })
      if (isListed(from)) onMoved(path)
    } catch (error) {
      notify({ isError: true, title: texts.undoFailed, message: errorText(error) })
    }
    await queries.invalidateQueries(changedBy('asset.updated'))
  }
  const mutation = useMutation({
    mutationFn: () => client.moveFolder({ from: path, to, ...(isMerge && { merge: true }) }),
    onSuccess(result) {
      const canUndo = result.status === 'moved' && !isMerge
      notify({
        message: messageOf(result, { from: path, to }),
        // What was merged belongs together from now on.
        ...(canUndo && { action: { label: common.undo, run: () => void moveBack(to) } }),
      })
      onClose()
      onMoved(to)
    },
    onSettled: () => queries.invalidateQueries(changedBy('asset.updated')),
  })
  // A running move changes both folders: the dialog shows them as they were before.
  const isMoving = mutation.isPending || mutation.isSuccess
  const count = useAssetCount(path, isMoving)
  // A longer path of the same folder is refused, and says so.
  const target = isChanged && !to.startsWith(`${path}/`) ? to : undefined
  const found = useAssetCount(target, isMoving) ?? 0
  // The service moves into a folder with assets only to merge them: otherwise, these have just been moved.
  const existing = isMoving && !isMerge ? 0 : found
  const problems = fieldProblems(mutation.error)
  return (
    <DialogForm
      mutation={mutation}
      errorTitle={texts.moveFolderFailed}
      submitLabel={existing > 0 ? texts.merge : texts.move}
      isIncomplete={!isChanged || (existing > 0 && !isMerge)}
      onClose={onClose}
    >
      <TextInput
        label={texts.folder}
        description={texts.folderHint}
        dir="auto"
        required
        data-autofocus
        maxLength={512}
        value={text}
        onChange={({ currentTarget }) => setText(currentTarget.value)}
        error={problems.to?.join(', ')}
      />
      <Text size="sm" c="dimmed">
        {count !== undefined && `${plural(texts.contains, count)} `}
        {texts.alsoMoves}
      </Text>
      {existing > 0 && (
        <Alert color="orange" title={plural(texts.folderExists, existing, { folder: to })}>
          <Text size="sm" mb="xs">
            {fill(texts.mergeHint, { folder: path })}
          </Text>
          <Checkbox
            label={texts.mergeFolders}
            checked={isMerge}
            onChange={({ currentTarget }) => setMerge(currentTarget.checked)}
          />
        </Alert>
      )}
    </DialogForm>
  )
}

function messageOf({ status, moved }: FolderMove, { from, to }: { from: string; to: string }) {
  return status === 'moved'
    ? plural(texts.folderMoved, moved, { folder: to })
    : plural(texts.folderMoving, moved, { from, to })
}

/** Whether the page shows this folder: the user may have opened another page since the move. */
function isListed(folder: string): boolean {
  return location.pathname === '/' && new URLSearchParams(location.search).get('path') === folder
}

/** A folder as a user writes it, with or without a slash at its end. */
export function trimmed(path: string): string {
  return path.trim().replace(/\/$/, '')
}

/**
 * The number of assets in a folder and below it. Undefined while it is loading, or if the path is invalid. While it
 * `isKept`, it is not loaded again.
 */
function useAssetCount(path: string | undefined, isKept: boolean): number | undefined {
  const client = useClient()
  const { data } = useQuery({
    queryKey: queryKeys.assetList({ path, isCount: true }),
    queryFn: async ({ signal }) => {
      const page = await client
        .assets({ path: path ?? '', limit: 1, exact_total: true, signal })
        .page()
      return page.meta.total
    },
    enabled: path !== undefined && !isKept,
    retry: false,
  })
  return path === undefined ? undefined : data
}
