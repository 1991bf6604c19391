import { ActionIcon, Badge, Button, Group, Text, Tooltip } from '@mantine/core'
import { type Asset, isStowageError, type Version } from '@stowage/client'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { ConfirmDialog } from '../components/dialogs.tsx'
import { useFocusHandover } from '../components/focus.ts'
import { notify } from '../components/notifications.tsx'
import { LoadedSection } from '../components/sections.tsx'
import { DateTime, Name } from '../components/values.tsx'
import { errorText, sizeText } from '../format.ts'
import { asset as texts } from '../i18n/en/asset.ts'
import { common } from '../i18n/en/common.ts'
import { fill, plural, rich } from '../i18n/texts.ts'
import { IconDownload, IconTrash } from '../icons/icons.tsx'
import { changedBy, queryKeys } from '../query-keys.ts'
import { RequireScope, useKeepVersions } from '../session/account.tsx'
import { useClient } from '../session/session.tsx'
import { DamagedMark } from './asset-icon.tsx'
import classes from './asset-versions.module.css'

/** The current version of a file and the older ones that are kept. */
export function AssetVersions({ asset }: { asset: Asset }) {
  const [deleting, setDeleting] = useState<Version>()
  const keep = useKeepVersions()
  return (
    <>
      <LoadedSection query={useVersions(asset)} title={texts.versions}>
        {(versions) => (
          <>
            <ul className={classes.list}>
              {versions.map((version) => (
                <VersionRow
                  key={version.version}
                  asset={asset}
                  version={version}
                  onDelete={() => setDeleting(version)}
                />
              ))}
            </ul>
            {keep !== undefined && (
              <Text size="xs" c="dimmed" mt="xs">
                {keptText(keep)}
              </Text>
            )}
          </>
        )}
      </LoadedSection>
      <DeleteVersion asset={asset} version={deleting} onClose={() => setDeleting(undefined)} />
    </>
  )
}

function keptText(keep: number): string {
  return keep === 0 ? texts.keepNone : plural(texts.keepLast, keep)
}

interface VersionRowProps {
  asset: Asset
  version: Version
  onDelete(): void
}

function VersionRow({ asset, version, onDelete }: VersionRowProps) {
  const row = useFocusHandover<HTMLLIElement>()
  const { version: number, filename, bytes, created_at, current, damaged } = version
  return (
    <li ref={row}>
      <div className={classes.facts}>
        <Group gap="xs">
          <Text size="sm" fw={500}>
            {fill(texts.version, { number })}
          </Text>
          {current && (
            <Badge size="sm" variant="light">
              {texts.current}
            </Badge>
          )}
          {damaged && <DamagedMark />}
        </Group>
        {filename !== asset.filename && <Name fz="sm">{filename}</Name>}
        <Text size="xs" c="dimmed">
          {sizeText(bytes)} · <DateTime value={created_at} hasSeconds />
        </Text>
      </div>
      <Group gap={4} wrap="nowrap">
        {!current && (
          <RequireScope scope="write">
            <RestoreButton asset={asset} version={number} />
          </RequireScope>
        )}
        {!current && (
          <RequireScope scope="write">
            <Tooltip label={texts.deleteVersion}>
              <ActionIcon
                variant="subtle"
                color="gray"
                aria-label={fill(texts.deleteNumber, { number })}
                onClick={onDelete}
              >
                <IconTrash size={18} aria-hidden />
              </ActionIcon>
            </Tooltip>
          </RequireScope>
        )}
        {!damaged && (
          <Tooltip label={texts.download}>
            <ActionIcon
              component="a"
              // The service redirects to a signed URL. A download does not leave the page.
              href={`/api/v1/assets/${asset.id}/versions/${number}/download`}
              download
              variant="subtle"
              color="gray"
              aria-label={fill(texts.downloadNumber, { number })}
            >
              <IconDownload size={18} aria-hidden />
            </ActionIcon>
          </Tooltip>
        )}
      </Group>
    </li>
  )
}

/** Disappears when its version becomes the current one. */
function RestoreButton({ asset, version }: { asset: Asset; version: number }) {
  const { mutate, isPending } = useRestoreVersion()
  const button = useFocusHandover<HTMLButtonElement>()
  return (
    <Button
      ref={button}
      size="compact-sm"
      variant="light"
      aria-label={fill(texts.restoreNumber, { number: version })}
      aria-disabled={isPending || undefined}
      onClick={() => isPending || mutate({ asset, version })}
    >
      {texts.restore}
    </Button>
  )
}

interface DeleteVersionProps {
  asset: Asset
  /** Undefined while the dialog is closed. */
  version: Version | undefined
  onClose(): void
}

function DeleteVersion({ asset, version, onClose }: DeleteVersionProps) {
  const client = useClient()
  const queries = useQueryClient()
  const deletion = useMutation({
    mutationFn: ({ number, signal }: { number: number; signal: AbortSignal }) =>
      client.deleteVersion(asset.id, number, { signal }).catch((error: unknown) => {
        // Someone else deleted it.
        if (!isStowageError(error, 'not_found')) throw error
      }),
    onSuccess(_result, { number }) {
      notify({ message: fill(texts.versionDeleted, { number }) })
      onClose()
    },
    onSettled: () => queries.invalidateQueries(changedBy('version.deleted')),
  })
  return (
    <ConfirmDialog
      isOpen={version !== undefined}
      title={texts.deleteVersionQuestion}
      confirmLabel={texts.deleteVersion}
      errorTitle={texts.deleteVersionFailed}
      mutation={deletion}
      onConfirm={(signal) => version && deletion.mutate({ number: version.version, signal })}
      onClose={onClose}
    >
      {version && (
        <Text size="sm">
          {rich(texts.deleteVersionHint, {
            number: version.version,
            size: sizeText(version.bytes),
            name: <bdi dir="auto">{version.filename}</bdi>,
          })}
        </Text>
      )}
      <Text size="sm" c="dimmed">
        {texts.irreversible}
      </Text>
    </ConfirmDialog>
  )
}

/** The versions of a file that are kept, the highest number first. */
export function useVersions({ id, version, damaged }: Asset) {
  const client = useClient()
  return useQuery({
    queryKey: queryKeys.versions(id, version, damaged),
    queryFn: ({ signal }) => client.versions(id, { signal }),
    placeholderData: (previous) => previous,
  })
}

interface Restoration {
  asset: Asset
  version: number
}

/** Makes a version current. The version that was current is kept, so the message offers to undo it. */
function useRestoreVersion() {
  const client = useClient()
  const queries = useQueryClient()
  const mutation = useMutation({
    mutationFn: ({ asset, version }: Restoration) => client.restore(asset.id, version),
    onSuccess(restored, { asset, version }) {
      queries.setQueryData(queryKeys.asset(asset.id), { ...restored, products: asset.products })
      notify({
        message: fill(texts.versionRestored, { number: version }),
        action: {
          label: common.undo,
          run: () => mutation.mutate({ asset: restored, version: asset.version }),
        },
      })
    },
    onError: (error) =>
      notify({
        isError: true,
        title: texts.restoreFailed,
        message: restoreErrorText(error),
      }),
    onSettled: () => queries.invalidateQueries(changedBy('asset.replaced')),
  })
  return mutation
}

function restoreErrorText(error: unknown): string {
  if (!isStowageError(error, 'not_found')) return errorText(error)
  return texts.restoreGone
}
