import { Box, Button, Group, Stack, Text } from '@mantine/core'
import type { UploadToken } from '@stowage/client'
import { formatSize } from '@stowage/protocol/format'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { ConfirmDialog } from '../components/dialogs.tsx'
import { useFocusHandover } from '../components/focus.ts'
import { notify } from '../components/notifications.tsx'
import { LoadedSection } from '../components/sections.tsx'
import { DateTime, Name } from '../components/values.tsx'
import { countText } from '../format.ts'
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
      <LoadedSection query={tokens} title="Upload tokens">
        {({ data, meta }) =>
          data.length === 0 ? (
            <Text c="dimmed">
              No upload tokens are valid now. Your shop creates one when a visitor uploads a file.
            </Text>
          ) : (
            <Stack gap="md">
              {data.map((token) => (
                <TokenRow key={token.id} token={token} onRevoke={setRevoking} />
              ))}
              {meta.total > data.length && (
                <Text size="sm" c="dimmed">
                  The newest {countText(data.length, 'token')} of {countText(meta.total, 'token')}.
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
          Until <DateTime value={token.expires_at} />
        </Text>
      </Box>
      <Button
        variant="default"
        size="compact-sm"
        aria-label={`Revoke the token for ${limitsText(token)}`}
        onClick={() => onRevoke(token)}
      >
        Revoke
      </Button>
    </Group>
  )
}

/** Such as “3 files, 50 MB, image/*, on https://shop.example”. */
function limitsText({ max_files, max_bytes, mime, origin, replace }: UploadToken): string {
  const limits = [
    replace === null ? countText(max_files, 'file') : 'New versions of one file',
    formatSize(max_bytes),
    ...(mime ?? []),
    ...(origin === null ? [] : [`on ${origin}`]),
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
      notify({ message: 'Upload token revoked' })
      onClose()
      await queries.invalidateQueries({ queryKey: queryKeys.uploadTokens() })
    },
  })
  return (
    <ConfirmDialog
      isOpen={token !== undefined}
      title="Revoke this upload token?"
      confirmLabel="Revoke token"
      errorTitle="Could not revoke the token"
      mutation={revocation}
      onConfirm={(signal) => token && revocation.mutate({ id: token.id, signal })}
      onClose={onClose}
    >
      <Name fw={600}>{token === undefined ? '' : limitsText(token)}</Name>
      <Text size="sm">
        Pages with this token can no longer upload, and their unfinished uploads stop. Files that
        were uploaded stay.
      </Text>
    </ConfirmDialog>
  )
}
