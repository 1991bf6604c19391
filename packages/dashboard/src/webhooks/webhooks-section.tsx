import { Anchor, Box, Button, Group, Stack, Text } from '@mantine/core'
import type { Webhook } from '@stowage/client'
import { useState } from 'react'
import { Link } from 'wouter'
import { SecretDialog } from '../components/copy.tsx'
import { LoadedSection } from '../components/sections.tsx'
import { Name } from '../components/values.tsx'
import { webhooks as texts } from '../i18n/en/webhooks.ts'
import { plural } from '../i18n/texts.ts'
import { IconPlus } from '../icons/icons.tsx'
import { useClient } from '../session/session.tsx'
import { WebhookForm } from './webhook-form.tsx'
import { useWebhooks, WebhookState } from './webhooks.tsx'

/** Endpoints that receive the events of the account. */
export function WebhooksSection() {
  const [isAdding, setAdding] = useState(false)
  const add = (
    <Button leftSection={<IconPlus size={18} aria-hidden />} onClick={() => setAdding(true)}>
      {texts.add}
    </Button>
  )
  return (
    <>
      <LoadedSection query={useWebhooks()} title={texts.section} action={add}>
        {(webhooks) =>
          webhooks.length === 0 ? (
            <Text c="dimmed">{texts.none}</Text>
          ) : (
            <Stack gap="md">
              {webhooks.map((webhook) => (
                <WebhookRow key={webhook.id} webhook={webhook} />
              ))}
            </Stack>
          )
        }
      </LoadedSection>
      <AddWebhook isOpen={isAdding} onClose={() => setAdding(false)} />
    </>
  )
}

function WebhookRow({ webhook }: { webhook: Webhook }) {
  const { id, url, description, types, pending } = webhook
  const sent = types === null ? texts.allEvents : plural(texts.typeCount, types.length)
  return (
    <Group justify="space-between" wrap="nowrap" align="start">
      <Box miw={0}>
        <Anchor component={Link} href={`/settings/webhooks/${id}`} fw={500}>
          <Name>{url}</Name>
        </Anchor>
        <Text size="xs" c="dimmed">
          {description !== '' && (
            <>
              <bdi>{description}</bdi> ·{' '}
            </>
          )}
          {sent}
          {pending > 0 && ` · ${plural(texts.pending, pending)}`}
        </Text>
      </Box>
      <WebhookState webhook={webhook} />
    </Group>
  )
}

/** A form, then the secret of the new webhook. */
function AddWebhook({ isOpen, onClose }: { isOpen: boolean; onClose(): void }) {
  const client = useClient()
  const [secret, setSecret] = useState<string>()
  const close = () => {
    setSecret(undefined)
    onClose()
  }
  return (
    <SecretDialog
      isOpen={isOpen}
      title={secret === undefined ? texts.add : texts.newSecret}
      secret={secret}
      noun="secret"
      hint={texts.newSecretHint}
      onClose={close}
    >
      <WebhookForm
        save={(values) => client.createWebhook(values)}
        onDone={(created) => setSecret(created.secret)}
        onClose={close}
      />
    </SecretDialog>
  )
}
