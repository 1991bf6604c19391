import { Alert, Badge, Button, Group, Stack, Tabs, Text } from '@mantine/core'
import type { ComparedProduct } from '@stowage/client/products-file'
import { countText, numberText } from '../../format/count-text.ts'
import { IconAlertTriangle } from '../../icons/icons.ts'
import { ChangeTable, ProblemTable, ProductsTable } from './import-tables.tsx'
import { changesOf, type Preview } from './preview.ts'
import { skippedLines } from './skipped-lines.ts'

interface Props {
  preview: Preview
  onSend(): void
  onRestart(): void
}

const OUTCOMES: { outcome: ComparedProduct['outcome']; label: string; color: string }[] = [
  { outcome: 'new', label: 'New', color: 'teal' },
  { outcome: 'changed', label: 'Changed', color: 'blue' },
  { outcome: 'unchanged', label: 'Unchanged', color: 'gray' },
]

/** Shows the effect of every line before anything is imported. */
export function ImportPreview({ preview, onSend, onRestart }: Props) {
  const { compared, problems, format, ignoredColumns } = preview
  const changes = changesOf(preview).length
  const groups = OUTCOMES.map((one) => ({
    ...one,
    products: compared.filter(({ outcome }) => outcome === one.outcome),
  })).filter(({ products }) => products.length > 0)
  return (
    <Stack gap="md">
      {problems.length > 0 && <SkippedLines {...{ problems, compared, format }} />}
      <Group>
        {changes > 0 && <Button onClick={onSend}>Import {countText(changes, 'product')}</Button>}
        <Button variant="default" onClick={onRestart}>
          Choose another file
        </Button>
        {changes === 0 && compared.length > 0 && (
          <Text role="status">Nothing to import: all products are up to date.</Text>
        )}
      </Group>
      {ignoredColumns.length > 0 && (
        <Text size="sm" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
          Columns that are not imported: {listText(ignoredColumns)}
        </Text>
      )}
      <Tabs
        defaultValue={problems.length > 0 ? 'problems' : (groups[0]?.outcome ?? null)}
        keepMounted={false}
        variant="outline"
      >
        <Tabs.List>
          {groups.map(({ outcome, label, color, products }) => (
            <Tabs.Tab
              key={outcome}
              value={outcome}
              rightSection={<Count color={color} count={products.length} />}
            >
              {label}
            </Tabs.Tab>
          ))}
          {problems.length > 0 && (
            <Tabs.Tab value="problems" rightSection={<Count color="red" count={problems.length} />}>
              Problems
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

function listText(names: readonly string[]): string {
  const more = names.length - MAX_COLUMNS
  const rest = more > 0 ? [`${numberText(more)} more`] : []
  return new Intl.ListFormat('en').format([...names.slice(0, MAX_COLUMNS), ...rest])
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
  const subject = skippedLines({ problems, format })
  return (
    <Alert
      color="orange"
      icon={<IconAlertTriangle aria-hidden />}
      title={compared.length > 0 ? `${subject} cannot be imported` : 'No product can be imported'}
    >
      {compared.length > 0
        ? 'Fix the file and choose it again, or import the other products now.'
        : 'Fix the file and choose it again.'}
    </Alert>
  )
}
