import { Title } from '@mantine/core'

export function AssetPage({ id }: { id: string }) {
  return <Title order={1}>{id}</Title>
}
