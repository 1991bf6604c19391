import { Alert, Checkbox, Text, TextInput } from '@mantine/core'
import type { Asset } from '@stowage/client'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Dialog, DialogForm, fieldProblems } from '../components/dialogs.tsx'
import { notify } from '../components/notifications.tsx'
import { countText } from '../format.ts'
import { changedBy, queryKeys } from '../query-keys.ts'
import { useClient } from '../session/session.tsx'
import { assetsText, inChunks } from './change-assets.ts'

interface MoveFolderProps {
  path: string
  isOpen: boolean
  onClose(): void
  onMoved(path: string): void
}

/** Renames or moves a folder with everything below it. */
export function MoveFolder({ isOpen, onClose, ...props }: MoveFolderProps) {
  return (
    <Dialog isOpen={isOpen} onClose={onClose} title="Rename or move the folder">
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
  const count = useAssetCount(path)
  // A longer path of the same folder is refused, and says so.
  const existing = useAssetCount(isChanged && !to.startsWith(`${path}/`) ? to : undefined) ?? 0
  const mutation = useMutation({
    mutationFn: () => client.moveFolder({ from: path, to, ...(isMerge && { merge: true }) }),
    onSuccess({ status, moved }) {
      notify({
        message:
          status === 'moved'
            ? `${countText(moved, 'asset')} moved to “${to}”`
            : `Moving “${path}” to “${to}”. The service continues in the background: ${countText(moved, 'asset')} moved so far.`,
      })
      onClose()
      onMoved(to)
    },
    onSettled: () => queries.invalidateQueries(changedBy('asset.updated')),
  })
  const problems = fieldProblems(mutation.error)
  return (
    <DialogForm
      mutation={mutation}
      errorTitle="Could not move the folder"
      submitLabel={existing > 0 ? 'Merge' : 'Move'}
      isIncomplete={!isChanged || (existing > 0 && !isMerge)}
      onClose={onClose}
    >
      <TextInput
        label="Folder"
        description="Change its name, or the folders above it, separated by /"
        dir="auto"
        required
        data-autofocus
        maxLength={512}
        value={text}
        onChange={({ currentTarget }) => setText(currentTarget.value)}
        error={problems.to?.join(', ')}
      />
      <Text size="sm" c="dimmed">
        {count !== undefined && `${countText(count, 'asset')} in it and below it will be moved. `}
        Unfinished uploads and deleted assets of the folder move with it.
      </Text>
      {existing > 0 && (
        <Alert color="orange" title={`“${to}” already has ${countText(existing, 'asset')}`}>
          <Text size="sm" mb="xs">
            Its assets stay, and those of “{path}” are added. Assets with the same name are kept
            side by side.
          </Text>
          <Checkbox
            label="Merge the folders"
            checked={isMerge}
            onChange={({ currentTarget }) => setMerge(currentTarget.checked)}
          />
        </Alert>
      )}
    </DialogForm>
  )
}

function trimmed(path: string): string {
  return path.trim().replace(/\/$/, '')
}

/** The number of assets in a folder and below it. Undefined while it is loading, or if the path is invalid. */
function useAssetCount(path: string | undefined): number | undefined {
  const client = useClient()
  const { data } = useQuery({
    queryKey: queryKeys.assetList({ path, isCount: true }),
    queryFn: async ({ signal }) => {
      const page = await client
        .assets({ path: path ?? '', limit: 1, exact_total: true, signal })
        .page()
      return page.meta.total
    },
    enabled: path !== undefined,
    retry: false,
  })
  return path === undefined ? undefined : data
}

interface MoveAssetsProps {
  assets: readonly Asset[]
  isOpen: boolean
  onClose(): void
  onDone(): void
}

/** Moves the selected assets to a folder. The message offers to undo it. */
export function MoveAssets({ assets, isOpen, onClose, onDone }: MoveAssetsProps) {
  return (
    <Dialog
      isOpen={isOpen}
      onClose={onClose}
      title={`Move ${countText(assets.length, 'asset')} to a folder`}
    >
      <MoveAssetsForm assets={assets} onClose={onClose} onDone={onDone} />
    </Dialog>
  )
}

function MoveAssetsForm({ assets, onClose, onDone }: Omit<MoveAssetsProps, 'isOpen'>) {
  const client = useClient()
  const queries = useQueryClient()
  const [first] = assets
  const isSame = assets.every(({ path }) => path === first?.path)
  const [text, setText] = useState((isSame && first?.path) || '')
  const to = trimmed(text)
  const refresh = () => queries.invalidateQueries(changedBy('asset.updated'))
  const move = (moved: readonly Asset[], path: string | null) =>
    inChunks(
      moved.map(({ id }) => id),
      (ids) => client.bulk({ action: 'move', ids, path }),
    )
  const undo = useMutation({
    async mutationFn() {
      const groups = Map.groupBy(assets, ({ path }) => path)
      for (const [path, some] of groups) await move(some, path)
    },
    onSuccess: () => notify({ message: `${assetsText(assets)} moved back` }),
    onError: () => notify({ isError: true, message: 'Could not move all assets back' }),
    onSettled: refresh,
  })
  const mutation = useMutation({
    mutationFn: () => move(assets, to === '' ? null : to),
    onSuccess() {
      notify({
        message: `${assetsText(assets)} moved ${to === '' ? 'out of folders' : `to “${to}”`}`,
        about: assets.map(({ id }) => id),
        action: { label: 'Undo', run: () => undo.mutate() },
      })
      onClose()
      onDone()
    },
    onSettled: refresh,
  })
  return (
    <DialogForm
      mutation={mutation}
      errorTitle="Could not move the assets"
      submitLabel="Move"
      isIncomplete={isSame && to === (first?.path ?? '')}
      onClose={onClose}
    >
      <TextInput
        label="Folder"
        description="Such as course/week 1. It need not exist. Empty means no folder"
        dir="auto"
        data-autofocus
        maxLength={512}
        value={text}
        onChange={({ currentTarget }) => setText(currentTarget.value)}
        error={fieldProblems(mutation.error).path?.join(', ')}
      />
    </DialogForm>
  )
}
