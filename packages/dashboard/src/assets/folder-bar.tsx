import { Anchor, Button, Checkbox, CloseButton, Group, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { Fragment } from 'react'
import { Link } from 'wouter'
import { Name } from '../components/values.tsx'
import { assets as texts } from '../i18n/en/assets.ts'
import { RequireScope } from '../session/account.tsx'
import { DownloadZip } from './download-zip.tsx'
import { MoveFolder } from './move-folder.tsx'

interface FolderBarProps {
  /** Empty: the assets without a folder. */
  path: string
  /** Whether the assets of its subfolders are listed, too. */
  below: boolean
  /** Whether the folder no longer exists: folders are the paths of assets. */
  isEmpty: boolean
  hrefOf(path?: string): string
  onBelow(below: boolean): void
  onMoved(path: string): void
  onClear(): void
}

/** The folder whose assets are listed, with those above it. */
export function FolderBar(props: FolderBarProps) {
  const { path, below, isEmpty, hrefOf, onBelow, onMoved, onClear } = props
  const [isMoving, moving] = useDisclosure()
  const names = path === '' ? [] : path.split('/')
  return (
    <Group gap="xs" component="nav" aria-label={texts.folder}>
      <Anchor component={Link} href={hrefOf('')} size="sm">
        {texts.allFolders}
      </Anchor>
      {names.map((name, index) => {
        const above = names.slice(0, index + 1).join('/')
        const isLast = index === names.length - 1
        return (
          <Fragment key={above}>
            <Text size="sm" c="dimmed" aria-hidden>
              /
            </Text>
            {isLast ? (
              <Text size="sm" fw={600} maw={240} aria-current="true">
                <Name>{name}</Name>
              </Text>
            ) : (
              <Anchor component={Link} href={hrefOf(above)} size="sm" maw={240}>
                <Name>{name}</Name>
              </Anchor>
            )}
          </Fragment>
        )
      })}
      {path === '' && (
        <>
          <Text size="sm" c="dimmed" aria-hidden>
            /
          </Text>
          <Text size="sm" fw={600}>
            {texts.noFolder}
          </Text>
        </>
      )}
      <CloseButton size="sm" aria-label={texts.anyFolder} onClick={onClear} />
      {path !== '' && !isEmpty && (
        <>
          <Checkbox
            size="xs"
            label={texts.withSubfolders}
            checked={below}
            onChange={({ currentTarget }) => onBelow(currentTarget.checked)}
          />
          <DownloadZip selection={{ filter: { path } }} variant="default" />
          <RequireScope scope="write">
            <Button size="compact-sm" variant="default" onClick={moving.open}>
              {texts.renameOrMove}
            </Button>
          </RequireScope>
        </>
      )}
      {path !== '' && (
        // It stays open while the last assets leave the folder.
        <MoveFolder path={path} isOpen={isMoving} onClose={moving.close} onMoved={onMoved} />
      )}
    </Group>
  )
}
