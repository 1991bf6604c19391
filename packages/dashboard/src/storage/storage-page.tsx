import { Title } from '@mantine/core'

export function StoragePage() {
  return <Title order={1}>Storage</Title>
}
