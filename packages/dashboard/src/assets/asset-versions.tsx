import { ActionIcon, Badge, Button, Group, Text, Tooltip } from '@mantine/core'
import type { Asset, Version } from '@stowage/client'
import { useState } from 'react'
import { DateTime } from '../components/date-time.tsx'
import { LoadedSection } from '../components/loaded-section.tsx'
import { Name } from '../components/name.tsx'
import { useFocusHandover } from '../components/use-focus-handover.ts'
import { IconDownload, IconTrash } from '../icons/icons.ts'
import { RequireScope } from '../session/require-scope.tsx'
import classes from './asset-versions.module.css'
import { DamagedMark } from './damaged-mark.tsx'
import { DeleteVersion } from './delete-version.tsx'
import { useRestoreVersion } from './use-restore-version.ts'
import { useVersions } from './use-versions.ts'

/** The current version of a file and the older ones that are kept. */
export function AssetVersions({ asset }: { asset: Asset }) {
  const [deleting, setDeleting] = useState<Version>()
  return (
    <>
      <LoadedSection query={useVersions(asset)} title="Versions">
        {(versions) => (
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
        )}
      </LoadedSection>
      <DeleteVersion asset={asset} version={deleting} onClose={() => setDeleting(undefined)} />
    </>
  )
}

interface RowProps {
  asset: Asset
  version: Version
  onDelete(): void
}

function VersionRow({ asset, version, onDelete }: RowProps) {
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
          {size} · <DateTime value={created_at} />
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
