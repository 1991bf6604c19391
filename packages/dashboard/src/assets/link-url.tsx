import { Anchor, Stack, Text } from '@mantine/core'
import type { Asset } from '@stowage/client'
import { IconExternalLink } from '@tabler/icons-react'
import { Section } from '../components/section.tsx'

/** Shows the URL as text. The page never loads it; only a click opens it. */
export function LinkUrl({ asset }: { asset: Asset }) {
  const url = asset.url ?? ''
  const host = hostOf(url)
  return (
    <Section title="URL">
      <Stack gap="xs">
        <Text
          component="bdi"
          dir="ltr"
          ff="monospace"
          size="sm"
          style={{ overflowWrap: 'anywhere' }}
        >
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
    </Section>
  )
}

/** Undefined for URLs with a scheme other than http and https, which cannot be opened. */
function hostOf(text: string): string | undefined {
  const url = URL.parse(text)
  return url?.protocol === 'http:' || url?.protocol === 'https:' ? url.host : undefined
}
