import {
  ActionIcon,
  Alert,
  Anchor,
  Button,
  Collapse,
  Group,
  Loader,
  Stack,
  Text,
  Tooltip,
} from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import type { Asset, Product } from '@stowage/client'
import { Link } from 'wouter'
import { useFocusHandover } from '../components/focus.ts'
import { Section } from '../components/sections.tsx'
import { Name } from '../components/values.tsx'
import { errorText } from '../format.ts'
import { asset as texts } from '../i18n/en/asset.ts'
import { common } from '../i18n/en/common.ts'
import { fill, plural } from '../i18n/texts.ts'
import { IconChevronDown, IconChevronUp, IconX } from '../icons/icons.tsx'
import { RequireScope } from '../session/account.tsx'
import classes from './asset-page.module.css'
import { type ProductChoice, referencesOf } from './product-choices.ts'
import { groupProducts, productName, type VariantGroup } from './product-names.ts'
import { ProductPicker } from './product-picker.tsx'
import { useAttach, useDetach } from './use-asset-changes.ts'

/** The products that the asset is attached to, with controls to attach and detach. */
export function AssetProducts({ asset }: { asset: Asset }) {
  const attached = asset.products ?? []
  const detaching = useDetach()
  const attaching = useAttach()
  const attach = (choices: ProductChoice[]) => {
    detaching.reset()
    attaching.mutate({ assets: [asset], products: referencesOf(choices) })
  }
  const detach = (products: readonly Product[]) => {
    attaching.reset()
    detaching.mutate([{ asset, products }])
  }
  const error = attaching.error ?? detaching.error
  const beingDetached = detaching.isPending ? (detaching.variables[0]?.products ?? []) : []
  return (
    <Section title={texts.products}>
      <Stack gap="sm">
        <RequireScope scope="write">
          <ProductPicker label={texts.attachTo} picked={[]} onPick={attach} exclude={attached} />
        </RequireScope>
        {error !== null && (
          <Alert color="red" title={texts.productsFailed} role="alert">
            {errorText(error)}
          </Alert>
        )}
        {attached.length === 0 && (
          <Text size="sm" c="dimmed">
            {texts.notAttached}
          </Text>
        )}
        {attached.length > 0 && (
          <div className={classes.products}>
            <Stack component="ul" gap={8} m={0} p={0} style={{ listStyle: 'none' }}>
              {groupProducts(attached).map((group) => (
                <AttachedProduct
                  key={group.productId}
                  group={group}
                  detaching={beingDetached}
                  onDetach={detach}
                />
              ))}
            </Stack>
          </div>
        )}
      </Stack>
    </Section>
  )
}

interface AttachedProductProps {
  group: VariantGroup
  /** The variants that are being detached. */
  detaching: readonly Product[]
  onDetach(products: readonly Product[]): void
}

/** A product that the asset is attached to. Several variants are folded into one row. */
function AttachedProduct({ group, detaching, onDetach }: AttachedProductProps) {
  const row = useFocusHandover<HTMLLIElement>()
  const [isOpen, { toggle }] = useDisclosure()
  const { name, variants } = group
  const [first] = variants
  if (first === undefined) return null
  const isSingle = variants.length === 1
  const Chevron = isOpen ? IconChevronUp : IconChevronDown
  return (
    <li ref={row}>
      <ProductRow
        product={first}
        label={isSingle ? productName(first) : name}
        detachLabel={isSingle ? productName(first) : fill(texts.allVariantsOf, { name })}
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
            {plural(common.variants, variants.length)}
          </Button>
        )}
      </ProductRow>
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
      <ProductRow
        product={variant}
        label={variant.variant_name || productName(variant)}
        detachLabel={productName(variant)}
        isDetaching={isDetaching}
        onDetach={onDetach}
      >
        <Sku product={variant} />
      </ProductRow>
    </li>
  )
}

function Sku({ product: { sku } }: { product: Product }) {
  if (sku === '') return null
  return (
    <Name fz="xs" c="dimmed" isWhole>
      {sku}
    </Name>
  )
}

interface ProductRowProps extends Omit<VariantProps, 'variant'> {
  product: Product
  label: string
  detachLabel: string
  children: React.ReactNode
}

function ProductRow({
  product,
  label,
  detachLabel,
  isDetaching,
  onDetach,
  children,
}: ProductRowProps) {
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
        <Tooltip label={texts.detach}>
          {/* Not disabled while it is busy: it would lose the focus. */}
          <ActionIcon
            variant="subtle"
            color="gray"
            aria-label={fill(texts.detachNamed, { name: detachLabel })}
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
