import { Alert, Badge, Button, Group, Pagination, Stack, Table, Tabs, Text } from '@mantine/core'
import type { ComparedProduct, ProductsFileProblem } from '@stowage/client/products-file'
import { type ReactNode, useState } from 'react'
import { Name } from '../components/values.tsx'
import { listText, numberText } from '../format.ts'
import { problemText } from '../i18n/api-texts.ts'
import { common } from '../i18n/en/common.ts'
import { products as texts } from '../i18n/en/products.ts'
import { fill, plural, rich } from '../i18n/texts.ts'
import { IconAlertTriangle } from '../icons/icons.tsx'
import classes from './import.module.css'
import { changesOf, countSkipped, type Preview, productsText } from './use-import.ts'

interface ImportPreviewProps {
  preview: Preview
  onSend(): void
  onRestart(): void
}

const OUTCOMES: { outcome: ComparedProduct['outcome']; color: string }[] = [
  { outcome: 'new', color: 'teal' },
  { outcome: 'changed', color: 'blue' },
  { outcome: 'unchanged', color: 'gray' },
]

/** Shows the effect of every line before anything is imported. */
export function ImportPreview({ preview, onSend, onRestart }: ImportPreviewProps) {
  const { compared, problems, format, ignoredColumns } = preview
  const changes = changesOf(preview)
  const groups = OUTCOMES.map((one) => ({
    ...one,
    products: compared.filter(({ outcome }) => outcome === one.outcome),
  })).filter(({ products }) => products.length > 0)
  return (
    <Stack gap="md">
      {problems.length > 0 && <SkippedLines {...{ problems, compared, format }} />}
      <Group>
        {changes.length > 0 && (
          <Button onClick={onSend}>
            {fill(texts.importCount, { products: productsText(changes) })}
          </Button>
        )}
        <Button variant="default" onClick={onRestart}>
          {texts.chooseAnother}
        </Button>
        {changes.length === 0 && compared.length > 0 && (
          <Text role="status">{texts.nothingToImport}</Text>
        )}
      </Group>
      {ignoredColumns.length > 0 && (
        <Text size="sm" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
          {fill(texts.ignoredColumns, { columns: columnsText(ignoredColumns) })}
        </Text>
      )}
      <Tabs
        defaultValue={problems.length > 0 ? 'problems' : (groups[0]?.outcome ?? null)}
        keepMounted={false}
        variant="outline"
      >
        <Tabs.List>
          {groups.map(({ outcome, color, products }) => (
            <Tabs.Tab
              key={outcome}
              value={outcome}
              rightSection={<Count color={color} count={products.length} />}
            >
              {texts[outcome]}
            </Tabs.Tab>
          ))}
          {problems.length > 0 && (
            <Tabs.Tab value="problems" rightSection={<Count color="red" count={problems.length} />}>
              {texts.problems}
            </Tabs.Tab>
          )}
        </Tabs.List>
        {groups.map(({ outcome, products }) => (
          <Tabs.Panel key={outcome} value={outcome} pt="sm">
            {outcome === 'changed' ? (
              <ChangeTable products={products} format={format} />
            ) : (
              <ProductsTable products={products} format={format} />
            )}
          </Tabs.Panel>
        ))}
        <Tabs.Panel value="problems" pt="sm">
          <ProblemTable problems={problems} format={format} />
        </Tabs.Panel>
      </Tabs>
    </Stack>
  )
}

const MAX_COLUMNS = 10

function columnsText(names: readonly string[]): string {
  const more = names.length - MAX_COLUMNS
  const rest = more > 0 ? [fill(texts.more, { count: more })] : []
  return listText([...names.slice(0, MAX_COLUMNS), ...rest], 'conjunction')
}

function Count({ color, count }: { color: string; count: number }) {
  return (
    <Badge color={color} variant="light" size="sm" circle={count < 10}>
      {numberText(count)}
    </Badge>
  )
}

function SkippedLines({
  problems,
  compared,
  format,
}: Pick<Preview, 'problems' | 'compared' | 'format'>) {
  const rejected = format === 'csv' ? texts.linesRejected : texts.entriesRejected
  return (
    <Alert
      color="orange"
      icon={<IconAlertTriangle aria-hidden />}
      title={
        compared.length > 0 ? plural(rejected, countSkipped({ problems })) : texts.noneImportable
      }
    >
      {compared.length > 0 ? texts.fixOrImport : texts.fix}
    </Alert>
  )
}

type Format = 'csv' | 'json'

interface ProductsProps {
  products: ComparedProduct[]
  format: Format
}

function ProductsTable({ products, format }: ProductsProps) {
  return (
    <LinesTable
      items={products}
      format={format}
      headers={[
        <Table.Th key="product">{texts.product}</Table.Th>,
        <Table.Th key="sku" visibleFrom="sm">
          {texts.fields.sku}
        </Table.Th>,
        <Table.Th key="vendor" visibleFrom="sm">
          {texts.fields.vendor}
        </Table.Th>,
        <Table.Th key="tags" visibleFrom="sm">
          {texts.fields.tags}
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

function ChangeTable({ products, format }: ProductsProps) {
  return (
    <LinesTable
      items={products}
      format={format}
      headers={[
        <Table.Th key="product">{texts.product}</Table.Th>,
        <Table.Th key="changes">{texts.changes}</Table.Th>,
      ]}
    >
      {(product) => (
        <>
          <ProductCell product={product} />
          <Table.Td className={classes.cell}>
            <ul className={classes.changes}>
              {product.changes.map(({ field, before, after }) => (
                <li key={field}>
                  {fill(common.filterLabel, { label: texts.fields[field] })}{' '}
                  <del>{fieldValue(before)}</del> <span aria-hidden>→</span>{' '}
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
  if (text === '') return <span className={classes.empty}>{texts.empty}</span>
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
      headers={[<Table.Th key="problem">{texts.problem}</Table.Th>]}
    >
      {({ field, column, value, message }) => (
        <Table.Td className={classes.cell}>
          {field !== undefined && (
            <b>
              <bdi dir="auto">{column ?? fieldText(field)}</bdi>{' '}
            </b>
          )}
          {problemText(message)}
          {value && (
            <> {rich(texts.found, { value: <bdi className={classes.invalid}>{value}</bdi> })}</>
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

const LINES_PER_PAGE = 50

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
  const pages = Math.ceil(items.length / LINES_PER_PAGE)
  const visibleItems = items.slice((page - 1) * LINES_PER_PAGE, page * LINES_PER_PAGE)
  return (
    <Stack gap="sm">
      <Table className={classes.table} verticalSpacing="xs">
        <Table.Thead>
          <Table.Tr>
            <Table.Th className={classes.line}>
              {format === 'csv' ? texts.line : texts.number}
            </Table.Th>
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
          getItemProps={(number) => ({ 'aria-label': fill(common.pageNumber, { number }) })}
          getControlProps={(control) => ({
            'aria-label': control === 'next' ? common.nextPage : common.previousPage,
          })}
        />
      )}
    </Stack>
  )
}

function fieldText(field: NonNullable<ProductsFileProblem['field']>): string {
  return field === 'match_by' ? field : texts.fields[field]
}
