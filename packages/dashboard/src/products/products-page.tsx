import { Title } from '@mantine/core'

export function ProductsPage() {
  return <Title order={1}>Products</Title>
}
