import { ActionIcon, Anchor, Button, Group, Stack, Text, TextInput, Tooltip } from '@mantine/core'
import type { Asset } from '@stowage/client'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useRef, useState } from 'react'
import { ActionButton } from '../components/action-button.tsx'
import { fieldProblems } from '../components/dialogs.tsx'
import { Section } from '../components/sections.tsx'
import { errorText } from '../format.ts'
import { asset as texts } from '../i18n/en/asset.ts'
import { common } from '../i18n/en/common.ts'
import { rich } from '../i18n/texts.ts'
import { IconExternalLink, IconPencil } from '../icons/icons.tsx'
import { changedBy, queryKeys } from '../query-keys.ts'
import { RequireScope } from '../session/account.tsx'
import { useClient } from '../session/session.tsx'

/** Shows the URL as text, which can be edited. The page never loads it; only a click opens it. */
export function LinkUrl({ asset }: { asset: Asset }) {
  const [isEditing, setEditing] = useState(false)
  const editButton = useRef<HTMLButtonElement>(null)
  const close = () => {
    setEditing(false)
    // Wait until the button is rendered again.
    setTimeout(() => editButton.current?.focus())
  }
  return (
    <Section
      title={texts.url}
      action={
        !isEditing && (
          <RequireScope scope="write">
            <Tooltip label={texts.editUrl}>
              <ActionIcon
                ref={editButton}
                variant="subtle"
                color="gray"
                size="lg"
                aria-label={texts.editUrl}
                onClick={() => setEditing(true)}
              >
                <IconPencil size={20} aria-hidden />
              </ActionIcon>
            </Tooltip>
          </RequireScope>
        )
      }
    >
      {isEditing ? <EditUrl asset={asset} onClose={close} /> : <Url url={asset.url ?? ''} />}
    </Section>
  )
}

function Url({ url }: { url: string }) {
  const host = hostOf(url)
  return (
    <Stack gap="xs">
      <Text component="bdi" dir="ltr" ff="monospace" size="sm" style={{ overflowWrap: 'anywhere' }}>
        {url}
      </Text>
      {host !== undefined && (
        <Anchor
          href={url}
          target="_blank"
          rel="noopener noreferrer nofollow"
          size="sm"
          w="fit-content"
        >
          {rich(texts.openHost, { host: <bdi dir="ltr">{host}</bdi> })}{' '}
          <IconExternalLink size={14} aria-hidden />
        </Anchor>
      )}
      <Text size="sm" c="dimmed">
        {texts.urlHint}
      </Text>
    </Stack>
  )
}

/** Undefined for URLs with a scheme other than http and https, which cannot be opened. */
function hostOf(text: string): string | undefined {
  const url = URL.parse(text)
  return url?.protocol === 'http:' || url?.protocol === 'https:' ? url.host : undefined
}

interface EditUrlProps {
  asset: Asset
  onClose(): void
}

/** Changes the URL of a link asset: Enter saves it, Escape cancels. */
function EditUrl({ asset, onClose }: EditUrlProps) {
  const client = useClient()
  const queries = useQueryClient()
  const [url, setUrl] = useState(asset.url ?? '')
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => client.change(asset.id, { url: url.trim() }),
    onSuccess(changed) {
      queries.setQueryData(queryKeys.asset(asset.id), { ...asset, url: changed.url })
      onClose()
      return queries.invalidateQueries(changedBy('asset.updated'))
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (url.trim() === asset.url) onClose()
    else mutate()
  }
  return (
    <form onSubmit={submit}>
      <Stack gap="sm">
        <TextInput
          aria-label={texts.url}
          type="url"
          dir="ltr"
          autoFocus
          required
          value={url}
          onChange={({ currentTarget }) => setUrl(currentTarget.value)}
          onKeyDown={({ key }) => key === 'Escape' && onClose()}
          error={
            error === null ? undefined : (fieldProblems(error).url?.join(', ') ?? errorText(error))
          }
        />
        <Group gap="sm" justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {common.cancel}
          </Button>
          <ActionButton isBusy={isPending}>{texts.save}</ActionButton>
        </Group>
      </Stack>
    </form>
  )
}
