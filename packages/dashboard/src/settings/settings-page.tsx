import { Stack, Title } from '@mantine/core'
import { useTitle } from '../components/use-title.ts'
import { RequireScope } from '../session/require-scope.tsx'
import { useSignedIn } from '../session/use-signed-in.ts'
import { WebhooksSection } from '../webhooks/webhooks-section.tsx'
import { AccessSection } from './access-section.tsx'
import { AccountSection } from './account-section.tsx'
import { AppearanceSection } from './appearance-section.tsx'
import { KeysSection } from './keys-section.tsx'

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
      <RequireScope scope="manage">
        <WebhooksSection />
      </RequireScope>
      <AppearanceSection />
    </Stack>
  )
}
