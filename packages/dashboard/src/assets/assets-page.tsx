import { Title } from '@mantine/core'

export function AssetsPage() {
  return <Title order={1}>Assets</Title>
}
