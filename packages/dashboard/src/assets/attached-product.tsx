import { ActionIcon, Anchor, Button, Collapse, Group, Loader, Stack, Tooltip } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import type { Product } from '@stowage/client'
import { Link } from 'wouter'
import { Name } from '../components/name.tsx'
import { useFocusHandover } from '../components/use-focus-handover.ts'
import { countText } from '../format/count-text.ts'
import { IconChevronDown, IconChevronUp, IconX } from '../icons/icons.ts'
import { RequireScope } from '../session/require-scope.tsx'
import type { VariantGroup } from './product-groups.ts'
import { productName } from './product-names.ts'

interface Props {
  group: VariantGroup
  /** The variants that are being detached. */
  detaching: readonly Product[]
  onDetach(products: readonly Product[]): void
}

/** A product that the asset is attached to. Several variants are folded into one row. */
export function AttachedProduct({ group, detaching, onDetach }: Props) {
  const row = useFocusHandover<HTMLLIElement>()
  const [isOpen, { toggle }] = useDisclosure()
  const { name, variants } = group
  const [first] = variants
  if (first === undefined) return null
  const isSingle = variants.length === 1
  const Chevron = isOpen ? IconChevronUp : IconChevronDown
  return (
    <li ref={row}>
      <Row
        product={first}
        label={isSingle ? productName(first) : name}
        detachLabel={isSingle ? productName(first) : `${name}, all variants`}
        isDetaching={variants.every((variant) => detaching.includes(variant))}
        onDetach={() => onDetach(variants)}
      >
        {isSingle ? (
          <Sku product={first} />
        ) : (
          <Button
            size="compact-xs"
            variant="subtle"
            ms={-8}
            rightSection={<Chevron size={14} aria-hidden />}
            aria-expanded={isOpen}
            onClick={toggle}
          >
            {countText(variants.length, 'variant')}
          </Button>
        )}
      </Row>
      {!isSingle && (
        <Collapse expanded={isOpen}>
          {isOpen && (
            <Stack component="ul" gap={4} m={0} ps="md" style={{ listStyle: 'none' }}>
              {variants.map((variant) => (
                <Variant
                  key={variant.id}
                  variant={variant}
                  isDetaching={detaching.includes(variant)}
                  onDetach={() => onDetach([variant])}
                />
              ))}
            </Stack>
          )}
        </Collapse>
      )}
    </li>
  )
}

interface VariantProps {
  variant: Product
  isDetaching: boolean
  onDetach(): void
}

function Variant({ variant, isDetaching, onDetach }: VariantProps) {
  const row = useFocusHandover<HTMLLIElement>()
  return (
    <li ref={row}>
      <Row
        product={variant}
        label={variant.variant_name || productName(variant)}
        detachLabel={productName(variant)}
        isDetaching={isDetaching}
        onDetach={onDetach}
      >
        <Sku product={variant} />
      </Row>
    </li>
  )
}

function Sku({ product: { sku } }: { product: Product }) {
  if (sku === '') return null
  return (
    <Name fz="xs" c="dimmed">
      {sku}
    </Name>
  )
}

interface RowProps extends Omit<VariantProps, 'variant'> {
  product: Product
  label: string
  detachLabel: string
  children: React.ReactNode
}

function Row({ product, label, detachLabel, isDetaching, onDetach, children }: RowProps) {
  return (
    <Group wrap="nowrap" justify="space-between">
      <div style={{ minWidth: 0 }}>
        <Anchor
          component={Link}
          href={`/products/${product.id}`}
          c="inherit"
          fz="sm"
          fw={500}
          display="block"
          py={2}
        >
          <Name>{label}</Name>
        </Anchor>
        {children}
      </div>
      <RequireScope scope="write">
        <Tooltip label="Detach">
          {/* Not disabled while it is busy: it would lose the focus. */}
          <ActionIcon
            variant="subtle"
            color="gray"
            aria-label={`Detach ${detachLabel}`}
            aria-busy={isDetaching || undefined}
            onClick={() => isDetaching || onDetach()}
          >
            {isDetaching ? <Loader size={18} aria-hidden /> : <IconX size={18} aria-hidden />}
          </ActionIcon>
        </Tooltip>
      </RequireScope>
    </Group>
  )
}
