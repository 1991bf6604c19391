import { Anchor, Stack, Text } from '@mantine/core'
import type { Asset } from '@stowage/client'
import { IconExternalLink } from '@tabler/icons-react'
import { Section } from '../components/section.tsx'

/** Shown as letters, and opened by nobody but the reader. */
export function LinkAddress({ asset }: { asset: Asset }) {
  const address = asset.url ?? ''
  const host = hostOf(address)
  return (
    <Section title="Address">
      <Stack gap="xs">
        <Text
          component="bdi"
          dir="ltr"
          ff="monospace"
          size="sm"
          style={{ overflowWrap: 'anywhere' }}
        >
          {address}
        </Text>
        {host !== undefined && (
          <Anchor
            href={address}
            target="_blank"
            rel="noopener noreferrer nofollow"
            size="sm"
            w="fit-content"
          >
            Open <bdi dir="ltr">{host}</bdi> in a new tab <IconExternalLink size={14} aria-hidden />
          </Anchor>
        )}
        <Text size="sm" c="dimmed">
          What is there is somebody else’s: Stowage keeps the address only.
        </Text>
      </Stack>
    </Section>
  )
}

/** Undefined for anything that is not of the web: that is never opened. */
function hostOf(address: string): string | undefined {
  const url = URL.parse(address)
  return url?.protocol === 'http:' || url?.protocol === 'https:' ? url.host : undefined
}
