import {
  Anchor,
  Code,
  type MantineColorScheme,
  SegmentedControl,
  Stack,
  Text,
  Title,
  useMantineColorScheme,
} from '@mantine/core'
import { formatSize } from '@stowage/protocol/format'
import { Link } from 'wouter'
import { useTitle } from '../components/page.tsx'
import { Detail, DetailList, LoadedSection, Section } from '../components/sections.tsx'
import { DateTime } from '../components/values.tsx'
import { countText } from '../format.ts'
import { RequireScope, useAccount, useSignedIn } from '../session/account.tsx'
import { WebhooksSection } from '../webhooks/webhooks-section.tsx'
import { KeysSection } from './keys.tsx'
import { TokensSection } from './tokens.tsx'

export function SettingsPage() {
  useTitle('Settings')
  const { data } = useSignedIn()
  const isOpenAccess = data && !data.requires_key
  return (
    <Stack gap="lg">
      <Title order={1} size="h2">
        Settings
      </Title>
      <AccountSection />
      {isOpenAccess !== undefined && <AccessSection isOpenAccess={isOpenAccess} />}
      <KeysSection isOpenAccess={isOpenAccess ?? false} />
      <RequireScope scope="write">
        <TokensSection />
      </RequireScope>
      <RequireScope scope="manage">
        <WebhooksSection />
      </RequireScope>
      <AppearanceSection />
    </Stack>
  )
}

function AccountSection() {
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

function AccessSection({ isOpenAccess }: { isOpenAccess: boolean }) {
  return isOpenAccess ? <OpenAccess /> : <SignedIn />
}

function OpenAccess() {
  return (
    <Section title="Access">
      <Text>
        This service requires no key. Anyone who uses this computer has full access. Other computers
        cannot connect.
      </Text>
      <Text c="dimmed" size="sm" mt="xs">
        To require keys, create a key with the manage scope below, set{' '}
        <Code>STOWAGE_AUTH=keys</Code> and restart the service. To accept connections from other
        computers, also set <Code>STOWAGE_HOST</Code>.
      </Text>
    </Section>
  )
}

function SignedIn() {
  const { data } = useSignedIn()
  return (
    <Section title="Access">
      <Text>
        You are signed in with the key <bdi>{data?.key?.name}</bdi>
        {data?.key?.hint && (
          <>
            {' '}
            <Code>{data.key.hint}</Code>
          </>
        )}
        {data?.expires_at && (
          <>
            , until <DateTime value={data.expires_at} isDateOnly /> at the latest
          </>
        )}
        .
      </Text>
      <Text c="dimmed" size="sm" mt="xs">
        The button “Sign out” at the top of each page signs you out in all tabs of this browser.
      </Text>
    </Section>
  )
}

const SCHEMES: { value: MantineColorScheme; label: string }[] = [
  { value: 'light', label: 'Light' },
  { value: 'dark', label: 'Dark' },
  { value: 'auto', label: 'System' },
]

function AppearanceSection() {
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  return (
    <Section title="Appearance">
      <SegmentedControl
        aria-label="Color scheme"
        data={SCHEMES}
        value={colorScheme}
        onChange={(value) => setColorScheme(value as MantineColorScheme)}
      />
    </Section>
  )
}
