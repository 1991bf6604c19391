import { ActionIcon, Badge, Button, Group, Text, Tooltip } from '@mantine/core'
import { type Asset, isStowageError, type Version } from '@stowage/client'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { ConfirmDialog } from '../components/dialogs.tsx'
import { useFocusHandover } from '../components/focus.ts'
import { notify } from '../components/notifications.tsx'
import { LoadedSection } from '../components/sections.tsx'
import { DateTime, Name } from '../components/values.tsx'
import { errorText } from '../format.ts'
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
      <LoadedSection query={useVersions(asset)} title="Versions">
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
  if (keep === 0) return 'No older versions are kept: a replacement removes the current file.'
  const versions = keep === 1 ? 'The last older version is' : `The last ${keep} older versions are`
  return `${versions} kept. A replacement removes those that were replaced before.`
}

interface VersionRowProps {
  asset: Asset
  version: Version
  onDelete(): void
}

function VersionRow({ asset, version, onDelete }: VersionRowProps) {
  const row = useFocusHandover<HTMLLIElement>()
  const { version: number, filename, size, created_at, current, damaged } = version
  return (
    <li ref={row}>
      <div className={classes.facts}>
        <Group gap="xs">
          <Text size="sm" fw={500}>
            Version {number}
          </Text>
          {current && (
            <Badge size="sm" variant="light">
              Current
            </Badge>
          )}
          {damaged && <DamagedMark />}
        </Group>
        {filename !== asset.filename && <Name fz="sm">{filename}</Name>}
        <Text size="xs" c="dimmed">
          {size} · <DateTime value={created_at} hasSeconds />
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
            <Tooltip label="Delete version">
              <ActionIcon
                variant="subtle"
                color="gray"
                aria-label={`Delete version ${number}`}
                onClick={onDelete}
              >
                <IconTrash size={18} aria-hidden />
              </ActionIcon>
            </Tooltip>
          </RequireScope>
        )}
        {!damaged && (
          <Tooltip label="Download">
            <ActionIcon
              component="a"
              // The service redirects to a signed URL. A download does not leave the page.
              href={`/api/v1/assets/${asset.id}/versions/${number}/download`}
              download
              variant="subtle"
              color="gray"
              aria-label={`Download version ${number}`}
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
      aria-label={`Restore version ${version}`}
      aria-disabled={isPending || undefined}
      onClick={() => isPending || mutate({ asset, version })}
    >
      Restore
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
      notify({ message: `Version ${number} deleted` })
      onClose()
    },
    onSettled: () => queries.invalidateQueries(changedBy('version.deleted')),
  })
  return (
    <ConfirmDialog
      isOpen={version !== undefined}
      title="Delete this version?"
      confirmLabel="Delete version"
      errorTitle="Could not delete the version"
      mutation={deletion}
      onConfirm={(signal) => version && deletion.mutate({ number: version.version, signal })}
      onClose={onClose}
    >
      {version && (
        <Text size="sm">
          Version {version.version} ({version.size}) of “<bdi dir="auto">{version.filename}</bdi>”
          will no longer be available. The current version stays as it is.
        </Text>
      )}
      <Text size="sm" c="dimmed">
        This cannot be undone. The storage becomes available immediately.
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
        message: `Version ${version} restored`,
        action: {
          label: 'Undo',
          run: () => mutation.mutate({ asset: restored, version: asset.version }),
        },
      })
    },
    onError: (error) =>
      notify({
        isError: true,
        title: 'Could not restore the version',
        message: restoreErrorText(error),
      }),
    onSettled: () => queries.invalidateQueries(changedBy('asset.replaced')),
  })
  return mutation
}

function restoreErrorText(error: unknown): string {
  if (!isStowageError(error, 'not_found')) return errorText(error)
  return 'The version no longer exists. It was deleted, or replaced by newer versions.'
}
