import { Stack, Title } from '@mantine/core'
import { useTitle } from '../components/use-title.ts'
import { AccessSection } from './access-section.tsx'
import { AccountSection } from './account-section.tsx'
import { AppearanceSection } from './appearance-section.tsx'
import { KeysSection } from './keys-section.tsx'
import { useOpenAccess } from './use-open-access.ts'

export function SettingsPage() {
  useTitle('Settings')
  const { data: isOpenAccess } = useOpenAccess()
  return (
    <Stack gap="lg">
      <Title order={1} size="h2">
        Settings
      </Title>
      <AccountSection />
      {isOpenAccess !== undefined && <AccessSection isOpenAccess={isOpenAccess} />}
      <KeysSection isOpenAccess={isOpenAccess ?? false} />
      <AppearanceSection />
    </Stack>
  )
}
