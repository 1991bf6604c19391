import { ScrollArea, Table, Text } from '@mantine/core'
import type { ProductGroup } from '@stowage/client'
import { Name } from '../components/name.tsx'
import { Section } from '../components/section.tsx'
import { countText } from '../format/count-text.ts'
import classes from './product-page.module.css'

/** The variants of a product. The list stays short, whatever their number. */
export function ProductVariants({ product }: { product: ProductGroup }) {
  const { variants, variants_total: total } = product
  return (
    <Section title={total === 1 ? 'Variant' : `${countText(total, 'variant')}`}>
      <ScrollArea.Autosize mah={360} type="auto" viewportProps={{ tabIndex: 0 }}>
        <Table verticalSpacing={6} horizontalSpacing={6} fz="sm" className={classes.variants}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Name</Table.Th>
              <Table.Th>SKU</Table.Th>
              <Table.Th>Variant ID</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {variants.map(({ id, variant_name, sku, variant_id }) => (
              <Table.Tr key={id}>
                <Table.Td maw={0} w="50%">
                  <Name>{variant_name || '–'}</Name>
                </Table.Td>
                <Table.Td maw={0} w="30%">
                  <Name>{sku}</Name>
                </Table.Td>
                <Table.Td>{variant_id}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </ScrollArea.Autosize>
      {total > variants.length && (
        <Text c="dimmed" size="sm" mt="xs">
          Showing the first {variants.length} of {countText(total, 'variant')}.
        </Text>
      )}
    </Section>
  )
}
