import {
  ActionIcon,
  Anchor,
  Button,
  Select,
  Table,
  Text,
  TextInput,
  VisuallyHidden,
} from '@mantine/core'
import { useDebouncedValue, useDisclosure } from '@mantine/hooks'
import type { Order, Product } from '@stowage/client'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Link } from 'wouter'
import { Dialog, DialogForm, fieldProblems } from '../components/dialogs.tsx'
import { DROPDOWN, useFirstOption } from '../components/dropdown.ts'
import { Section } from '../components/sections.tsx'
import { firstWords } from '../components/url-query.ts'
import { numberText } from '../format.ts'
import { orders as texts } from '../i18n/en/orders.ts'
import { fill } from '../i18n/texts.ts'
import { IconX } from '../icons/icons.tsx'
import { queryKeys } from '../query-keys.ts'
import { RequireScope } from '../session/account.tsx'
import { useClient } from '../session/session.tsx'
import classes from './orders.module.css'
import { canChange, useOrderForm } from './use-orders.ts'

type Line = Order['lines'][number]

/** The products that the buyer has ordered. */
export function OrderLines({ order }: { order: Order }) {
  const { lines } = order
  if (lines.length === 0 && !canChange(order)) return null
  return (
    <Section
      title={texts.lines}
      action={
        canChange(order) && (
          <RequireScope scope="write">
            <EditLines order={order} />
          </RequireScope>
        )
      }
    >
      {lines.length === 0 ? (
        <Text c="dimmed">{texts.noLines}</Text>
      ) : (
        <Table className={classes.table} fz="sm" horizontalSpacing={6}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{texts.product}</Table.Th>
              <Table.Th ta="end">{texts.quantity}</Table.Th>
              <Table.Th ta="end">{texts.refunded}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {lines.map((line, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: lines have no ID, and a product may be in several
              <Table.Tr key={index}>
                <Table.Td className={classes.name}>
                  <LineName line={line} />
                </Table.Td>
                <Table.Td ta="end">{numberText(line.quantity)}</Table.Td>
                <Table.Td ta="end">{numberText(line.refunded_quantity)}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      )}
    </Section>
  )
}

function LineName({ line: { product, product_id, variant_id } }: { line: Line }) {
  if (product === null) return fill(texts.deletedProduct, { id: `${product_id}` })
  return (
    <>
      <Anchor component={Link} href={`/products/${product.id}`} c="inherit" inherit>
        <bdi dir="auto">{product.name}</bdi>
      </Anchor>
      {variant_id !== null && (
        <Text size="xs" c="dimmed">
          <bdi dir="auto">{product.variant_name || product.sku}</bdi>
        </Text>
      )}
    </>
  )
}

function EditLines({ order }: { order: Order }) {
  const [isOpen, { open, close }] = useDisclosure()
  return (
    <>
      <Button size="xs" variant="default" onClick={open}>
        {texts.editLines}
      </Button>
      <Dialog isOpen={isOpen} onClose={close} title={texts.editLinesTitle} size="lg">
        <LinesForm order={order} onClose={close} />
      </Dialog>
    </>
  )
}

/** A line while it is edited. The numbers are as typed. */
interface DraftLine {
  key: number
  name: string
  product_id: number
  variant_id: number | null
  quantity: string
  refunded: string
}

function draftOf(line: Line, key: number): DraftLine {
  const { product, product_id, variant_id, quantity, refunded_quantity } = line
  const id = `${product_id}`
  return {
    key,
    name: product === null ? fill(texts.deletedProduct, { id }) : nameOf(product, variant_id),
    product_id,
    variant_id,
    quantity: `${quantity}`,
    refunded: `${refunded_quantity}`,
  }
}

type Named = Pick<Product, 'name' | 'variant_name' | 'sku'>

/** Without a variant, the line covers all of them. */
function nameOf({ name, variant_name, sku }: Named, variantId: number | null): string {
  return variantId === null ? name : [name, variant_name || sku].filter(Boolean).join(' · ')
}

function LinesForm({ order, onClose }: { order: Order; onClose(): void }) {
  const client = useClient()
  const [lines, setLines] = useState(() => order.lines.map(draftOf))
  const mutation = useOrderForm(
    () =>
      client.changeOrder(order.id, {
        lines: lines.map(({ product_id, variant_id, quantity, refunded }) => ({
          product_id,
          ...(variant_id !== null && { variant_id }),
          quantity: Number(quantity),
          refunded_quantity: Number(refunded),
        })),
      }),
    onClose,
  )
  const problems = Object.values(fieldProblems(mutation.error)).flat()
  const change = (key: number, changes: Partial<DraftLine>) =>
    setLines(lines.map((line) => (line.key === key ? { ...line, ...changes } : line)))
  const isRefundTooHigh = ({ quantity, refunded }: DraftLine) => Number(refunded) > Number(quantity)
  return (
    <DialogForm
      mutation={mutation}
      errorTitle={texts.changeFailed}
      submitLabel={texts.save}
      isIncomplete={lines.some((line) => line.quantity === '' || isRefundTooHigh(line))}
      onClose={onClose}
    >
      <Table className={classes.table} fz="sm" horizontalSpacing={6}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{texts.product}</Table.Th>
            <Table.Th w={84}>{texts.quantity}</Table.Th>
            <Table.Th w={84}>{texts.refunded}</Table.Th>
            <Table.Th w={44}>
              <VisuallyHidden>{texts.removeLine}</VisuallyHidden>
            </Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {lines.map((line) => (
            <Table.Tr key={line.key}>
              <Table.Td className={classes.name}>
                <bdi dir="auto">{line.name}</bdi>
              </Table.Td>
              <Table.Td>
                <TextInput
                  type="number"
                  min={1}
                  max={1_000_000}
                  required
                  aria-label={fill(texts.quantityOf, { name: line.name })}
                  value={line.quantity}
                  onChange={({ currentTarget }) =>
                    change(line.key, { quantity: currentTarget.value })
                  }
                />
              </Table.Td>
              <Table.Td>
                <TextInput
                  type="number"
                  min={0}
                  max={1_000_000}
                  required
                  aria-label={fill(texts.refundedOf, { name: line.name })}
                  value={line.refunded}
                  error={isRefundTooHigh(line)}
                  onChange={({ currentTarget }) =>
                    change(line.key, { refunded: currentTarget.value })
                  }
                />
              </Table.Td>
              <Table.Td>
                <ActionIcon
                  variant="subtle"
                  color="gray"
                  aria-label={fill(texts.removeNamed, { name: line.name })}
                  onClick={() => setLines(lines.filter(({ key }) => key !== line.key))}
                >
                  <IconX size={18} aria-hidden />
                </ActionIcon>
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
      <AddProduct
        onAdd={(choice) =>
          setLines([
            ...lines,
            {
              key: Math.max(-1, ...lines.map(({ key }) => key)) + 1,
              ...choice,
              quantity: '1',
              refunded: '0',
            },
          ])
        }
      />
      <Text size="sm" c="dimmed">
        {texts.linesHint}
      </Text>
      {problems.length > 0 && (
        <Text size="sm" c="error" role="alert">
          {problems.join(', ')}
        </Text>
      )}
    </DialogForm>
  )
}

type Choice = Pick<DraftLine, 'name' | 'product_id' | 'variant_id'>

const MAX_PRODUCTS = 10

/** Offers products as a whole, and their variants. */
function AddProduct({ onAdd }: { onAdd(choice: Choice): void }) {
  const client = useClient()
  const [text, setText] = useState('')
  const [search] = useDebouncedValue(text.trim(), 150)
  const { data, isFetching, isPlaceholderData } = useQuery({
    queryKey: queryKeys.productChoices(search),
    queryFn: ({ signal }) =>
      client
        .productGroups({
          ...(search !== '' && { search: firstWords(search) }),
          limit: MAX_PRODUCTS,
          signal,
        })
        .page(),
    placeholderData: keepPreviousData,
  })
  const isListed = text.trim() === search && data !== undefined && !isPlaceholderData
  const isSelectingFirst = useFirstOption(text, isListed)
  const choices = new Map<string, Choice>()
  for (const { product_id, name, variants } of data?.data ?? []) {
    choices.set(`${product_id}`, { name, product_id, variant_id: null })
    if (variants.length === 1) continue
    for (const variant of variants) {
      const { variant_id } = variant
      const choice = { name: nameOf(variant, variant_id), product_id, variant_id }
      choices.set(`${product_id} ${variant_id}`, choice)
    }
  }
  return (
    <Select
      label={texts.addProduct}
      placeholder={texts.searchProducts}
      searchable
      openOnFocus={false}
      data={[...choices].map(([value, { name }]) => ({ value, label: name }))}
      // The service has filtered already.
      filter={({ options }) => options}
      searchValue={text}
      onSearchChange={setText}
      value={null}
      onChange={(value) => {
        const choice = value === null ? undefined : choices.get(value)
        if (choice === undefined) return
        onAdd(choice)
        setText('')
      }}
      selectFirstOptionOnChange={isSelectingFirst}
      nothingFoundMessage={isFetching ? texts.searching : texts.noMatchingProducts}
      {...DROPDOWN}
    />
  )
}
