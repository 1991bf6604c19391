/* The dialogs in which users choose tags for assets, and for the list. */

import { Alert, Button, Radio, Stack, Text } from '@mantine/core'
import type { Asset, Client } from '@stowage/client'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useCallback, useState } from 'react'
import { Dialog, DialogForm, fieldProblems } from '../components/dialogs.tsx'
import { FilterInput } from '../components/filters.tsx'
import { notify } from '../components/notifications.tsx'
import { errorText, numberText } from '../format.ts'
import { bulk } from '../i18n/en/bulk.ts'
import { changes as texts } from '../i18n/en/changes.ts'
import { common } from '../i18n/en/common.ts'
import { fill, plural } from '../i18n/texts.ts'
import { changedBy, queryKeys } from '../query-keys.ts'
import { useClient } from '../session/session.tsx'
import classes from './asset-tags.module.css'
import { type ChangeAllProps, useChangeAllForm } from './change-all.ts'
import { assetsText, inChunks } from './change-assets.ts'
import { folded, TagsField } from './tags-field.tsx'

interface TagAssetsProps {
  assets: readonly Asset[]
  isOpen: boolean
  onClose(): void
  onDone(): void
}

/** Adds tags to the assets, and removes others. */
export function TagAssets({ assets, isOpen, onClose, onDone }: TagAssetsProps) {
  return (
    <Dialog isOpen={isOpen} onClose={onClose} title={plural(texts.tagsTitle, assets.length)}>
      <TagForm assets={assets} onClose={onClose} onDone={onDone} />
    </Dialog>
  )
}

function TagForm({ assets, onClose, onDone }: Omit<TagAssetsProps, 'isOpen'>) {
  const client = useClient()
  const queries = useQueryClient()
  const [added, setAdded] = useState<string[]>([])
  const [removed, setRemoved] = useState<string[]>([])
  const [typed, setTyped] = useState('')
  const present = tagsOf(assets)
  const undo = useUndo()
  const mutation = useMutation({
    mutationFn: () =>
      changeTags(client, assets, [
        ...removed.map((tag) => ({ action: 'untag', tag }) as const),
        ...added.map((tag) => ({ action: 'tag', tag }) as const),
      ]),
    onSuccess(changes) {
      const count = new Set(changes.flatMap(({ ids }) => ids)).size
      if (count === 0) notify({ message: texts.noTagsChanged })
      else {
        notify({
          message: fill(texts.tagsChanged, {
            assets:
              count === 1
                ? assetsText(assets.filter(({ id }) => changes[0]?.ids.includes(id)))
                : plural(common.assets, count),
          }),
          action: { label: common.undo, run: () => void undo(assets, changes) },
        })
      }
      onClose()
      onDone()
    },
    onSettled: () => queries.invalidateQueries(changedBy('asset.updated')),
  })
  const problems = Object.values(fieldProblems(mutation.error)).flat()
  return (
    <DialogForm
      mutation={mutation}
      errorTitle={texts.tagsFailed}
      submitLabel={texts.changeTags}
      isIncomplete={added.length + removed.length === 0 && typed === ''}
      onClose={onClose}
    >
      <TagsField label={texts.addTags} value={added} onChange={setAdded} onText={setTyped} />
      {present.length > 0 && (
        <TagsField
          label={texts.removeTags}
          value={removed}
          choices={present}
          exclude={removed}
          onChange={(tags) => setRemoved(tags.filter((tag) => present.includes(tag)))}
          onText={setTyped}
        />
      )}
      {problems.length > 0 && (
        <Alert color="red" title={texts.tagsFailed} role="alert">
          {problems.join(' ')}
        </Alert>
      )}
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
  const [typed, setTyped] = useState('')
  const change = useChangeAllForm(onClose, onDone)
  return (
    <DialogForm
      mutation={{ ...change, mutate: () => change.mutate({ all, change: { action, tags } }) }}
      errorTitle={texts.tagsFailed}
      submitLabel={texts.changeTags}
      isIncomplete={tags.length === 0 && typed === ''}
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
      <TagsField label={texts.tags} value={tags} onChange={setTags} onText={setTyped} />
      <Text size="sm" c="dimmed">
        {texts.matchesHint}
      </Text>
    </DialogForm>
  )
}

/** The tags of the assets, each once. */
function tagsOf(assets: readonly Asset[]): string[] {
  const spellings = new Map(
    assets.flatMap(({ tags }) => tags.map((tag) => [folded(tag), tag] as const)),
  )
  return [...spellings.values()].sort((a, b) => a.localeCompare(b))
}

interface TagChange {
  action: 'tag' | 'untag'
  tag: string
}

/** Makes the changes one after the other. Returns for each the IDs of the assets that it has changed. */
async function changeTags(
  client: Client,
  assets: readonly Asset[],
  changes: readonly TagChange[],
): Promise<(TagChange & { ids: string[] })[]> {
  const all = assets.map(({ id }) => id)
  const done: (TagChange & { ids: string[] })[] = []
  for (const { action, tag } of changes) {
    const ids: string[] = []
    await inChunks(all, async (some) => {
      const { changed = [] } = await client.bulk({ action, ids: some, tags: [tag] })
      ids.push(...changed)
    })
    done.push({ action, tag, ids })
  }
  return done
}

/** Returns a function that undoes the changes. A removed tag gets the spelling that each asset had. */
function useUndo() {
  const client = useClient()
  const queries = useQueryClient()
  return async (assets: readonly Asset[], changes: readonly (TagChange & { ids: string[] })[]) => {
    const byId = new Map(assets.map((asset) => [asset.id, asset]))
    const spelling = (id: string, tag: string) =>
      byId.get(id)?.tags.find((own) => folded(own) === folded(tag)) ?? tag
    try {
      for (const { action, tag, ids } of changes.toReversed()) {
        const groups = Map.groupBy(ids, (id) => (action === 'tag' ? tag : spelling(id, tag)))
        for (const [own, some] of groups) {
          const opposite = action === 'tag' ? 'untag' : 'tag'
          await inChunks(some, (chunk) =>
            client.bulk({ action: opposite, ids: chunk, tags: [own] }),
          )
        }
      }
      notify({ message: texts.tagsBack })
    } catch (error) {
      notify({ isError: true, title: texts.undoFailed, message: errorText(error) })
    }
    await queries.invalidateQueries(changedBy('asset.updated'))
  }
}

/** How many tags the dialog lists. */
const MAX_LISTED = 100

/** Lists the tags of the account, to choose the one whose assets the list shows. */
export function ChooseTag({ onChoose, onClose }: { onChoose(tag: string): void; onClose(): void }) {
  const client = useClient()
  const [search, setSearch] = useState('')
  const { data, error } = useQuery({
    queryKey: queryKeys.tags(search, MAX_LISTED),
    queryFn: ({ signal }) =>
      client.tags({ limit: MAX_LISTED, ...(search !== '' && { search }), signal }).page(),
  })
  const choose = (tag: string) => {
    onClose()
    onChoose(tag)
  }
  const found = data?.data ?? []
  return (
    <Dialog isOpen onClose={onClose} title={texts.filterByTag}>
      <Stack>
        <FilterInput
          label={texts.searchTags}
          value={search}
          onValue={useCallback((text: string) => setSearch(text), [])}
          data-autofocus
        />
        {error !== null && (
          <Alert color="red" title={texts.loadTagsFailed} role="alert">
            {errorText(error)}
          </Alert>
        )}
        {data !== undefined && found.length === 0 && (
          <Text c="dimmed" role="status">
            {search === '' ? texts.noTags : texts.noMatchingTags}
          </Text>
        )}
        <ul className={classes.list}>
          {found.map(({ name, assets }) => (
            <li key={name}>
              <Button
                variant="default"
                size="compact-md"
                radius="xl"
                onClick={() => choose(name)}
                rightSection={
                  <Text span size="xs" c="dimmed">
                    {numberText(assets)}
                  </Text>
                }
              >
                <bdi dir="auto">{name}</bdi>
              </Button>
            </li>
          ))}
        </ul>
        {data !== undefined && data.meta.total > found.length && (
          <Text size="sm" c="dimmed">
            {fill(texts.firstTags, { shown: MAX_LISTED, total: data.meta.total })}
          </Text>
        )}
      </Stack>
    </Dialog>
  )
}
