/* The dialogs that move and tag all assets that match the search and the filters. */

import { Radio, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import { Dialog, DialogForm, fieldProblems } from '../components/dialogs.tsx'
import { bulk } from '../i18n/en/bulk.ts'
import { changes as texts } from '../i18n/en/changes.ts'
import { plural } from '../i18n/texts.ts'
import { useChangeAll } from './change-all.ts'
import type { AllMatches } from './selection.tsx'
import { TagsField } from './tags-field.tsx'

interface ChangeAllProps {
  all: AllMatches
  isOpen: boolean
  onClose(): void
  onDone(): void
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
  const change = useChangeForm(onClose, onDone)
  const path = text.trim().replace(/\/$/, '') || null
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
      <TextInput
        label={texts.folder}
        description={texts.folderExample}
        dir="auto"
        data-autofocus
        maxLength={512}
        value={text}
        onChange={({ currentTarget }) => setText(currentTarget.value)}
        error={fieldProblems(change.error).path?.join(', ')}
      />
      <Text size="sm" c="dimmed">
        {texts.matchesHint}
      </Text>
    </DialogForm>
  )
}

/** Adds tags to all matches, or removes them. */
export function TagAll({ isOpen, ...props }: ChangeAllProps) {
  const { all, onClose } = props
  return (
    <Dialog isOpen={isOpen} onClose={onClose} title={plural(texts.tagsTitle, all.total)}>
      <TagAllForm {...props} />
    </Dialog>
  )
}

function TagAllForm({ all, onClose, onDone }: Omit<ChangeAllProps, 'isOpen'>) {
  const [action, setAction] = useState<'tag' | 'untag'>('tag')
  const [tags, setTags] = useState<string[]>([])
  const change = useChangeForm(onClose, onDone)
  return (
    <DialogForm
      mutation={{ ...change, mutate: () => change.mutate({ all, change: { action, tags } }) }}
      errorTitle={texts.tagsFailed}
      submitLabel={texts.changeTags}
      isIncomplete={tags.length === 0}
      onClose={onClose}
    >
      <Radio.Group
        label={bulk.kind}
        value={action}
        onChange={(value) => setAction(value === 'untag' ? 'untag' : 'tag')}
      >
        <Radio value="tag" label={bulk.add} mt="xs" />
        <Radio value="untag" label={bulk.remove} mt="xs" />
      </Radio.Group>
      <TagsField label={texts.tags} value={tags} onChange={setTags} />
      <Text size="sm" c="dimmed">
        {texts.matchesHint}
      </Text>
    </DialogForm>
  )
}

function useChangeForm(onClose: () => void, onDone: () => void) {
  return useChangeAll({
    onDone() {
      onClose()
      onDone()
    },
  })
}
