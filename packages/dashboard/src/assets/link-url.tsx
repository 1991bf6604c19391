import { ActionIcon, Anchor, Stack, Text, Tooltip } from '@mantine/core'
import type { Asset } from '@stowage/client'
import { useRef, useState } from 'react'
import { Section } from '../components/section.tsx'
import { IconExternalLink, IconPencil } from '../icons/icons.ts'
import { RequireScope } from '../session/require-scope.tsx'
import { EditUrl } from './edit-url.tsx'

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
      title="URL"
      action={
        !isEditing && (
          <RequireScope scope="write">
            <Tooltip label="Edit URL">
              <ActionIcon
                ref={editButton}
                variant="subtle"
                color="gray"
                size="lg"
                aria-label="Edit URL"
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
          Open <bdi dir="ltr">{host}</bdi> in a new tab <IconExternalLink size={14} aria-hidden />
        </Anchor>
      )}
      <Text size="sm" c="dimmed">
        Stowage stores only the URL. The content is on another website.
      </Text>
    </Stack>
  )
}

/** Undefined for URLs with a scheme other than http and https, which cannot be opened. */
function hostOf(text: string): string | undefined {
  const url = URL.parse(text)
  return url?.protocol === 'http:' || url?.protocol === 'https:' ? url.host : undefined
}
