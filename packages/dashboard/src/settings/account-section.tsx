import { Anchor, Skeleton, Text } from '@mantine/core'
import { Link } from 'wouter'
import { countText, sizeText } from '../format/size-text.ts'
import { Problem } from '../shell/problem.tsx'
import { useAccount } from '../storage/use-storage.ts'
import { Section } from './section.tsx'
import classes from './settings.module.css'

export function AccountSection() {
  const { data, error, refetch } = useAccount()
  return (
    <Section title="Account">
      {error !== null && (
        <Problem title="The account can’t be read" error={error} onRetry={() => void refetch()} />
      )}
      {data === undefined && error === null && (
        <Skeleton h={72} role="status" aria-label="Loading" />
      )}
      {data !== undefined && error === null && (
        <dl className={classes.facts}>
          <Text component="dt">Name</Text>
          <dd>
            <bdi dir="auto">{data.name}</bdi>
          </dd>
          <Text component="dt">Plan</Text>
          <dd>
            <bdi dir="auto">{data.plan.name}</bdi>, {sizeText(data.plan.storage)}
          </dd>
          <Text component="dt">In use</Text>
          <dd>
            {sizeText(data.stored)} in {countText(data.assets, 'asset')}
            {' · '}
            <Anchor component={Link} href="/storage" inherit underline="always">
              What takes the space
            </Anchor>
          </dd>
        </dl>
      )}
    </Section>
  )
}
