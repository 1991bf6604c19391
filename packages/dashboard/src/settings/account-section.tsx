import { Anchor } from '@mantine/core'
import { formatSize } from '@stowage/protocol/format'
import { Link } from 'wouter'
import { Detail, DetailList } from '../components/detail-list.tsx'
import { LoadedSection } from '../components/loaded-section.tsx'
import { countText } from '../format/count-text.ts'
import { useAccount } from '../session/use-account.ts'

export function AccountSection() {
  const account = useAccount()
  return (
    <LoadedSection query={account} title="Account">
      {({ name, plan, stored, assets }) => (
        <DetailList>
          <Detail name="Name">
            <bdi dir="auto">{name}</bdi>
          </Detail>
          <Detail name="Plan">
            <bdi dir="auto">{plan.name}</bdi>, {formatSize(plan.storage)}
          </Detail>
          <Detail name="Used">
            {formatSize(stored)} in {countText(assets, 'asset')}
            {' · '}
            <Anchor component={Link} href="/storage" inherit underline="always">
              View storage usage
            </Anchor>
          </Detail>
        </DetailList>
      )}
    </LoadedSection>
  )
}
