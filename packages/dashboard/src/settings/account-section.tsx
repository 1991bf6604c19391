import { Anchor } from '@mantine/core'
import { Link } from 'wouter'
import { Fact, Facts } from '../components/detail-list.tsx'
import { LoadedSection } from '../components/loaded-section.tsx'
import { countText, sizeText } from '../format/size-text.ts'
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
            <bdi dir="auto">{plan.name}</bdi>, {sizeText(plan.storage)}
          </Fact>
          <Fact name="In use">
            {sizeText(stored)} in {countText(assets, 'asset')}
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
