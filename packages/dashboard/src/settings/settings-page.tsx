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
import { Link } from 'wouter'
import { useTitle } from '../components/page.tsx'
import { Detail, DetailList, LoadedSection, Section } from '../components/sections.tsx'
import { DateTime } from '../components/values.tsx'
import { sizeText } from '../format.ts'
import { common } from '../i18n/en/common.ts'
import { settings } from '../i18n/en/settings.ts'
import { fill, plural, rich } from '../i18n/texts.ts'
import { MailTextsSection } from '../mails/on-demand.tsx'
import { BrandingSection } from '../orders/on-demand.tsx'
import { RequireScope, useAccount, useSignedIn } from '../session/account.tsx'
import { WebhooksSection } from '../webhooks/webhooks-section.tsx'
import { KeysSection } from './keys.tsx'
import { TokensSection } from './tokens.tsx'

export function SettingsPage() {
  useTitle(settings.title)
  const { data } = useSignedIn()
  const isOpenAccess = data && !data.requires_key
  return (
    <Stack gap="lg">
      <Title order={1} size="h2">
        {settings.title}
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
      <BrandingSection />
      <MailTextsSection />
      <AppearanceSection />
    </Stack>
  )
}

function AccountSection() {
  const account = useAccount()
  return (
    <LoadedSection query={account} title={settings.account}>
      {({ name, plan, stored, assets }) => (
        <DetailList>
          <Detail name={settings.name}>
            <bdi dir="auto">{name}</bdi>
          </Detail>
          <Detail name={settings.plan}>
            <bdi dir="auto">{plan.name}</bdi>, {sizeText(plan.storage)}
          </Detail>
          <Detail name={settings.used}>
            {fill(settings.usedIn, {
              size: sizeText(stored),
              assets: plural(common.assets, assets),
            })}
            {' · '}
            <Anchor component={Link} href="/storage" inherit underline="always">
              {settings.viewUsage}
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
    <Section title={settings.access}>
      <Text>{settings.openAccess}</Text>
      <Text c="dimmed" size="sm" mt="xs">
        {rich(settings.requireKeys, {
          auth: <Code>STOWAGE_AUTH=keys</Code>,
          host: <Code>STOWAGE_HOST</Code>,
        })}
      </Text>
    </Section>
  )
}

function SignedIn() {
  const { data } = useSignedIn()
  const key = (
    <>
      <bdi>{data?.key?.name}</bdi>
      {data?.key?.hint && (
        <>
          {' '}
          <Code>{data.key.hint}</Code>
        </>
      )}
    </>
  )
  return (
    <Section title={settings.access}>
      <Text>
        {data?.expires_at
          ? rich(settings.signedInUntil, {
              key,
              date: <DateTime value={data.expires_at} isDateOnly />,
            })
          : rich(settings.signedIn, { key })}
      </Text>
      <Text c="dimmed" size="sm" mt="xs">
        {settings.signOutHint}
      </Text>
    </Section>
  )
}

const SCHEMES: readonly MantineColorScheme[] = ['light', 'dark', 'auto']

function AppearanceSection() {
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  return (
    <Section title={settings.appearance}>
      <SegmentedControl
        aria-label={settings.colorScheme}
        data={SCHEMES.map((value) => ({ value, label: settings.schemes[value] }))}
        value={colorScheme}
        onChange={(value) => setColorScheme(value as MantineColorScheme)}
      />
    </Section>
  )
}
