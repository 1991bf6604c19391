import { type MantineColorScheme, SegmentedControl, useMantineColorScheme } from '@mantine/core'
import { Section } from '../components/section.tsx'

const SCHEMES: { value: MantineColorScheme; label: string }[] = [
  { value: 'light', label: 'Light' },
  { value: 'dark', label: 'Dark' },
  { value: 'auto', label: 'System' },
]

export function AppearanceSection() {
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
