import { Box, Button, Group, Stack, Text } from '@mantine/core'
import type { UploadToken } from '@stowage/client'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { ConfirmDialog } from '../components/dialogs.tsx'
import { useFocusHandover } from '../components/focus.ts'
import { notify } from '../components/notifications.tsx'
import { LoadedSection } from '../components/sections.tsx'
import { DateTime, Name } from '../components/values.tsx'
import { sizeText } from '../format.ts'
import { common } from '../i18n/en/common.ts'
import { settings } from '../i18n/en/settings.ts'
import { fill, plural, rich } from '../i18n/texts.ts'
import { queryKeys } from '../query-keys.ts'
import { useAccount } from '../session/account.tsx'
import { useClient } from '../session/session.tsx'

/** A shop can have thousands of tokens. The newest are those that a person looks for. */
const MAX_SHOWN = 25

/** The tokens with which web pages upload. Programs create them. */
export function TokensSection() {
  const client = useClient()
  const { isPending } = useAccount()
  const [revoking, setRevoking] = useState<UploadToken>()
  const tokens = useQuery({
    queryKey: queryKeys.uploadTokens(),
    queryFn: ({ signal }) => client.uploadTokens({ limit: MAX_SHOWN, signal }).page(),
    enabled: !isPending,
  })
  return (
    <>
      <LoadedSection query={tokens} title={settings.uploadTokens}>
        {({ data, meta }) =>
          data.length === 0 ? (
            <Text c="dimmed">{settings.noTokens}</Text>
          ) : (
            <Stack gap="md">
              {data.map((token) => (
                <TokenRow key={token.id} token={token} onRevoke={setRevoking} />
              ))}
              {meta.total > data.length && (
                <Text size="sm" c="dimmed">
                  {plural(settings.newestTokens, data.length, { total: meta.total })}
                </Text>
              )}
            </Stack>
          )
        }
      </LoadedSection>
      <RevokeToken token={revoking} onClose={() => setRevoking(undefined)} />
    </>
  )
}

function TokenRow({ token, onRevoke }: { token: UploadToken; onRevoke(token: UploadToken): void }) {
  const row = useFocusHandover<HTMLDivElement>()
  return (
    <Group ref={row} justify="space-between" wrap="nowrap" align="start">
      <Box miw={0}>
        <Name fw={500}>{limitsText(token)}</Name>
        <Text size="xs" c="dimmed" component="div">
          {token.created_by !== null && (
            <>
              <bdi>{token.created_by.name}</bdi> ·{' '}
            </>
          )}
          {rich(settings.untilDate, { date: <DateTime value={token.expires_at} /> })}
        </Text>
      </Box>
      <Button
        variant="default"
        size="compact-sm"
        aria-label={fill(settings.revokeTokenNamed, { limits: limitsText(token) })}
        onClick={() => onRevoke(token)}
      >
        {settings.revoke}
      </Button>
    </Group>
  )
}

/** Such as “3 files, 50 MB, image/*, on https://shop.example”. */
function limitsText({ max_files, max_bytes, mime, origin, replace }: UploadToken): string {
  const limits = [
    replace === null ? plural(common.files, max_files) : settings.newVersions,
    sizeText(max_bytes),
    ...(mime ?? []),
    ...(origin === null ? [] : [fill(settings.onOrigin, { origin })]),
  ]
  return limits.join(', ')
}

interface RevokeTokenProps {
  /** Undefined while the dialog is closed. */
  token: UploadToken | undefined
  onClose(): void
}

function RevokeToken({ token, onClose }: RevokeTokenProps) {
  const client = useClient()
  const queries = useQueryClient()
  const revocation = useMutation({
    mutationFn: ({ id, signal }: { id: string; signal: AbortSignal }) =>
      client.revokeUploadToken(id, { signal }),
    async onSuccess() {
      notify({ message: settings.tokenRevoked })
      onClose()
      await queries.invalidateQueries({ queryKey: queryKeys.uploadTokens() })
    },
  })
  return (
    <ConfirmDialog
      isOpen={token !== undefined}
      title={settings.revokeTokenQuestion}
      confirmLabel={settings.revokeToken}
      errorTitle={settings.revokeTokenFailed}
      mutation={revocation}
      onConfirm={(signal) => token && revocation.mutate({ id: token.id, signal })}
      onClose={onClose}
    >
      <Name fw={600}>{token === undefined ? '' : limitsText(token)}</Name>
      <Text size="sm">{settings.revokeTokenHint}</Text>
    </ConfirmDialog>
  )
}
