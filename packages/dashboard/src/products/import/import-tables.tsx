import { Pagination, Stack, Table, Text } from '@mantine/core'
import type { ComparedProduct, ProductsFileProblem } from '@stowage/client/products-file'
import { type ReactNode, useState } from 'react'
import { Name } from '../../components/name.tsx'
import { numberText } from '../../format/count-text.ts'
import { FIELD_LABELS } from './field-labels.ts'
import classes from './import.module.css'

type Format = 'csv' | 'json'

interface ProductsProps {
  products: ComparedProduct[]
  format: Format
}

export function ProductsTable({ products, format }: ProductsProps) {
  return (
    <LinesTable
      items={products}
      format={format}
      headers={[
        <Table.Th key="product">Product</Table.Th>,
        <Table.Th key="sku" visibleFrom="sm">
          SKU
        </Table.Th>,
        <Table.Th key="vendor" visibleFrom="sm">
          Vendor
        </Table.Th>,
        <Table.Th key="tags" visibleFrom="sm">
          Tags
        </Table.Th>,
      ]}
    >
      {(product) => {
        const { sku = '', vendor = '', tags = [] } = resultOf(product)
        return (
          <>
            <ProductCell product={product} />
            <Table.Td visibleFrom="sm" maw={160}>
              <Name>{sku}</Name>
            </Table.Td>
            <Table.Td visibleFrom="sm" maw={160}>
              <Name>{vendor}</Name>
            </Table.Td>
            <Table.Td visibleFrom="sm" maw={200}>
              <Name>{tags.join(', ')}</Name>
            </Table.Td>
          </>
        )
      }}
    </LinesTable>
  )
}

export function ChangeTable({ products, format }: ProductsProps) {
  return (
    <LinesTable
      items={products}
      format={format}
      headers={[
        <Table.Th key="product">Product</Table.Th>,
        <Table.Th key="changes">Changes</Table.Th>,
      ]}
    >
      {(product) => (
        <>
          <ProductCell product={product} />
          <Table.Td className={classes.cell}>
            <ul className={classes.changes}>
              {product.changes.map(({ field, before, after }) => (
                <li key={field}>
                  {FIELD_LABELS[field]}: <del>{fieldValue(before)}</del> <span aria-hidden>→</span>{' '}
                  <ins>{fieldValue(after)}</ins>
                </li>
              ))}
            </ul>
          </Table.Td>
        </>
      )}
    </LinesTable>
  )
}

function fieldValue(text: string): ReactNode {
  if (text === '') return <span className={classes.empty}>empty</span>
  return <bdi dir="auto">{text}</bdi>
}

interface ProblemsProps {
  problems: ProductsFileProblem[]
  format: Format
}

export function ProblemTable({ problems, format }: ProblemsProps) {
  return (
    <LinesTable
      items={problems}
      format={format}
      headers={[<Table.Th key="problem">Problem</Table.Th>]}
    >
      {({ field, column, value, message }) => (
        <Table.Td className={classes.cell}>
          {field !== undefined && (
            <b>
              <bdi dir="auto">{column ?? FIELD_LABELS[field]}</bdi>{' '}
            </b>
          )}
          {message}
          {value && (
            <>
              {' '}
              (found <bdi className={classes.invalid}>{value}</bdi>)
            </>
          )}
        </Table.Td>
      )}
    </LinesTable>
  )
}

/** The product after the import: a field that is missing in the file keeps its stored value. */
function resultOf({ stored, details }: ComparedProduct): ComparedProduct['details'] {
  return { ...stored, ...details }
}

function ProductCell({ product }: { product: ComparedProduct }) {
  const { name, variant_name: variant } = resultOf(product)
  return (
    <Table.Td maw={0} w="40%" miw={140} className={classes.cell}>
      <Name fw={500}>{name}</Name>
      {variant && (
        <Text size="xs" c="dimmed" component="div">
          <Name>{variant}</Name>
        </Text>
      )}
    </Table.Td>
  )
}

const PER_PAGE = 50

interface LinesTableProps<Item> {
  items: Item[]
  format: Format
  headers: ReactNode[]
  children(item: Item): ReactNode
}

/** A paginated table with the line number of every item. */
function LinesTable<Item extends { line: number }>({
  items,
  format,
  headers,
  children,
}: LinesTableProps<Item>) {
  const [page, setPage] = useState(1)
  const pages = Math.ceil(items.length / PER_PAGE)
  const visibleItems = items.slice((page - 1) * PER_PAGE, page * PER_PAGE)
  return (
    <Stack gap="sm">
      <Table className={classes.table} verticalSpacing="xs">
        <Table.Thead>
          <Table.Tr>
            <Table.Th className={classes.line}>{format === 'csv' ? 'Line' : 'No.'}</Table.Th>
            {headers}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {visibleItems.map((item, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a line may have several problems, in a fixed order
            <Table.Tr key={index}>
              <Table.Td className={classes.line}>{numberText(item.line)}</Table.Td>
              {children(item)}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
      {pages > 1 && (
        <Pagination
          total={pages}
          value={page}
          onChange={setPage}
          size="sm"
          getItemProps={(number) => ({ 'aria-label': `Page ${numberText(number)}` })}
          getControlProps={(control) => ({
            'aria-label': control === 'next' ? 'Next page' : 'Previous page',
          })}
        />
      )}
    </Stack>
  )
}
