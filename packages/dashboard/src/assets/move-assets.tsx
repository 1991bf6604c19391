/* The dialogs that move assets to a folder: the selected ones, or all that match the search and the filters. */

import { Text, TextInput } from '@mantine/core'
import type { Asset } from '@stowage/client'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Dialog, DialogForm, fieldProblems } from '../components/dialogs.tsx'
import { notify } from '../components/notifications.tsx'
import { changes as texts } from '../i18n/en/changes.ts'
import { common } from '../i18n/en/common.ts'
import { fill, plural } from '../i18n/texts.ts'
import { changedBy } from '../query-keys.ts'
import { useClient } from '../session/session.tsx'
import { type ChangeAllProps, useChangeAllForm } from './change-all.ts'
import { assetsText, inChunks } from './change-assets.ts'
import { trimmed } from './move-folder.tsx'

interface MoveAssetsProps {
  assets: readonly Asset[]
  isOpen: boolean
  onClose(): void
  onDone(): void
}

/** Moves the selected assets to a folder. The message offers to undo it. */
export function MoveAssets({ assets, isOpen, onClose, onDone }: MoveAssetsProps) {
  return (
    <Dialog isOpen={isOpen} onClose={onClose} title={plural(texts.moveTitle, assets.length)}>
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
    onSuccess: () => notify({ message: fill(texts.movedBack, { assets: assetsText(assets) }) }),
    onError: () => notify({ isError: true, message: texts.moveBackFailed }),
    onSettled: refresh,
  })
  const mutation = useMutation({
    mutationFn: () => move(assets, to === '' ? null : to),
    onSuccess() {
      notify({
        message:
          to === ''
            ? fill(texts.movedOut, { assets: assetsText(assets) })
            : fill(texts.movedTo, { assets: assetsText(assets), folder: to }),
        about: assets.map(({ id }) => id),
        action: { label: common.undo, run: () => undo.mutate() },
      })
      onClose()
      onDone()
    },
    onSettled: refresh,
  })
  return (
    <DialogForm
      mutation={mutation}
      errorTitle={texts.moveFailed}
      submitLabel={texts.move}
      isIncomplete={isSame && to === (first?.path ?? '')}
      onClose={onClose}
    >
      <FolderField value={text} onChange={setText} error={mutation.error} />
    </DialogForm>
  )
}

/** Moves all matches to a folder. */
export function MoveAll({ isOpen, ...props }: ChangeAllProps) {
  const { all, onClose } = props
  return (
    <Dialog isOpen={isOpen} onClose={onClose} title={plural(texts.moveTitle, all.total)}>
      <MoveAllForm {...props} />
    </Dialog>
  )
}

function MoveAllForm({ all, onClose, onDone }: Omit<ChangeAllProps, 'isOpen'>) {
  const [text, setText] = useState('')
  const change = useChangeAllForm(onClose, onDone)
  const path = trimmed(text) || null
  return (
    <DialogForm
      mutation={{
        ...change,
        mutate: () => change.mutate({ all, change: { action: 'move', path } }),
      }}
      errorTitle={texts.moveFailed}
      submitLabel={texts.move}
      onClose={onClose}
    >
      <FolderField value={text} onChange={setText} error={change.error} />
      <Text size="sm" c="dimmed">
        {texts.matchesHint}
      </Text>
    </DialogForm>
  )
}

interface FolderFieldProps {
  value: string
  onChange(text: string): void
  error: Error | null
}

function FolderField({ value, onChange, error }: FolderFieldProps) {
  return (
    <TextInput
      label={texts.folder}
      description={texts.folderExample}
      dir="auto"
      data-autofocus
      maxLength={512}
      value={value}
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
      error={fieldProblems(error).path?.join(', ')}
    />
  )
}
