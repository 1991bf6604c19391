import { Checkbox, Radio, Stack, TextInput } from '@mantine/core'
import type { Webhook, WebhookRequest } from '@stowage/client'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { DialogForm, fieldProblems } from '../components/dialogs.tsx'
import { webhooks as texts } from '../i18n/en/webhooks.ts'
import { queryKeys } from '../query-keys.ts'
import { EVENT_GROUPS, type EventGroup, type EventType } from './event-types.ts'
import classes from './webhooks.module.css'

type Values = Pick<WebhookRequest, 'url' | 'types' | 'description'>

interface WebhookFormProps<Result> {
  /** The webhook to change. Undefined: a new one is added. */
  webhook?: Webhook
  save(values: Values): Promise<Result>
  onDone(saved: Result): void
  onClose(): void
}

/** Asks for the URL of a webhook and for the events that it receives. */
export function WebhookForm<Result>({ webhook, save, onDone, onClose }: WebhookFormProps<Result>) {
  const queries = useQueryClient()
  const [url, setUrl] = useState(webhook?.url ?? '')
  const [description, setDescription] = useState(webhook?.description ?? '')
  const [isAll, setAll] = useState((webhook?.types ?? null) === null)
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set(webhook?.types))
  const mutation = useMutation({
    mutationFn: () => {
      const types = isAll ? null : ([...chosen] as EventType[])
      return save({ url: url.trim(), types, description: description.trim() })
    },
    // Removes the secret from the cache.
    gcTime: 0,
    onSuccess(saved) {
      onDone(saved)
      return queries.invalidateQueries({ queryKey: queryKeys.webhooks() })
    },
  })
  const problems = fieldProblems(mutation.error)
  return (
    <DialogForm
      mutation={mutation}
      errorTitle={webhook ? texts.changeFailed : texts.addFailed}
      submitLabel={webhook ? texts.save : texts.addShort}
      isIncomplete={url.trim() === '' || (!isAll && chosen.size === 0)}
      onClose={onClose}
    >
      <TextInput
        label={texts.url}
        description={texts.urlHint}
        placeholder="https://shop.example/webhooks"
        type="url"
        required
        data-autofocus
        value={url}
        onChange={({ currentTarget }) => setUrl(currentTarget.value)}
        error={problems.url?.join(', ')}
      />
      <TextInput
        label={texts.description}
        dir="auto"
        maxLength={255}
        value={description}
        onChange={({ currentTarget }) => setDescription(currentTarget.value)}
        error={problems.description?.join(', ')}
      />
      <Radio.Group
        label={texts.events}
        value={isAll ? 'all' : 'chosen'}
        onChange={(value) => setAll(value === 'all')}
        error={problems.types?.join(', ')}
      >
        <Stack gap="xs" mt={4}>
          <Radio value="all" label={texts.allTypes} />
          <Radio value="chosen" label={texts.someTypes} />
        </Stack>
      </Radio.Group>
      {!isAll && (
        // While it has the focus, the arrow keys scroll it.
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls
        <fieldset className={classes.types} tabIndex={0} aria-label={texts.types}>
          {EVENT_GROUPS.map((group) => (
            <TypeGroup key={group.name} group={group} chosen={chosen} onChange={setChosen} />
          ))}
        </fieldset>
      )}
    </DialogForm>
  )
}

interface TypeGroupProps {
  group: EventGroup
  chosen: ReadonlySet<string>
  onChange(chosen: ReadonlySet<string>): void
}

/** The checkbox of the group selects all of its types. */
function TypeGroup({ group: { name, types: names }, chosen, onChange }: TypeGroupProps) {
  const count = names.filter((type) => chosen.has(type)).length
  const isAll = count === names.length
  const toggle = (changed: readonly string[], isChosen: boolean) => {
    const others = [...chosen].filter((type) => !changed.includes(type))
    onChange(new Set(isChosen ? [...others, ...changed] : others))
  }
  return (
    <Stack gap={6} mb="sm">
      {names.length > 1 && (
        <Checkbox
          label={texts.groups[name]}
          fw={600}
          checked={isAll}
          indeterminate={count > 0 && !isAll}
          onChange={() => toggle(names, !isAll)}
        />
      )}
      {names.map((type) => (
        <Checkbox
          key={type}
          ms={names.length > 1 ? 'lg' : 0}
          label={texts.when[type]}
          description={type}
          checked={chosen.has(type)}
          onChange={({ currentTarget }) => toggle([type], currentTarget.checked)}
        />
      ))}
    </Stack>
  )
}
