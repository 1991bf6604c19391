import { Badge, Code, Group } from '@mantine/core'
import type { Asset } from '@stowage/client'
import { CopyButton } from '../components/copy-button.tsx'
import { DateTime } from '../components/date-time.tsx'
import { Detail } from '../components/detail-list.tsx'
import { IconShieldCheck } from '../icons/icons.ts'
import { useHasChecksums } from '../session/use-has-checksums.ts'
import { DamagedMark } from './damaged-mark.tsx'

/** Whether and when the stored bytes of a file were verified, and their digest. */
export function IntegrityDetails({ asset: { checksum, damaged } }: { asset: Asset }) {
  const hasChecksums = useHasChecksums()
  if (checksum === null && !damaged && !hasChecksums) return null
  return (
    <>
      <Detail name="Integrity">
        {damaged ? (
          <DamagedMark />
        ) : checksum === null ? (
          'Not verified yet. The service may still be reading the file.'
        ) : (
          <Group gap="xs">
            <Badge
              color="green"
              variant="light"
              leftSection={<IconShieldCheck size={14} aria-hidden />}
            >
              Verified
            </Badge>
            <DateTime value={checksum.verified_at} />
          </Group>
        )}
      </Detail>
      {checksum !== null && (
        <Detail name={damaged ? 'Expected SHA-256' : 'SHA-256'}>
          <Group gap={4} wrap="nowrap" align="center">
            <Code>{checksum.sha256}</Code>
            <CopyButton text={checksum.sha256} what="SHA-256" />
          </Group>
        </Detail>
      )}
      {damaged && checksum !== null && (
        <Detail name="Last verified">
          <DateTime value={checksum.verified_at} />
        </Detail>
      )}
    </>
  )
}
