import { Anchor } from '@mantine/core'
import { formatSize } from '@stowage/protocol/format'
import { Link } from 'wouter'
import { Fact, Facts } from '../components/detail-list.tsx'
import { LoadedSection } from '../components/loaded-section.tsx'
import { countText } from '../format/count-text.ts'
import { useAccount } from '../session/use-account.ts'

export function AccountSection() {
  const account = useAccount()
  return (
    <LoadedSection of={account} title="Account">
      {({ name, plan, stored, assets }) => (
        <Facts>
          <Fact name="Name">
            <bdi dir="auto">{name}</bdi>
          </Fact>
          <Fact name="Plan">
            <bdi dir="auto">{plan.name}</bdi>, {formatSize(plan.storage)}
          </Fact>
          <Fact name="In use">
            {formatSize(stored)} in {countText(assets, 'asset')}
            {' · '}
            <Anchor component={Link} href="/storage" inherit underline="always">
              What takes the space
            </Anchor>
          </Fact>
        </Facts>
      )}
    </LoadedSection>
  )
}
