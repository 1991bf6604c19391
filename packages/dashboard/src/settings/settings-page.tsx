import { Stack, Title } from '@mantine/core'
import { useTitle } from '../components/use-title.ts'
import { AccessSection } from './access-section.tsx'
import { AccountSection } from './account-section.tsx'
import { AppearanceSection } from './appearance-section.tsx'
import { KeysSection } from './keys-section.tsx'
import { useIsOpen } from './use-settings.ts'

export function SettingsPage() {
  useTitle('Settings')
  const { data: isOpen } = useIsOpen()
  return (
    <Stack gap="lg">
      <Title order={1} size="h2">
        Settings
      </Title>
      <AccountSection />
      {isOpen !== undefined && <AccessSection isOpen={isOpen} />}
      <KeysSection isOpen={isOpen ?? false} />
      <AppearanceSection />
    </Stack>
  )
}
