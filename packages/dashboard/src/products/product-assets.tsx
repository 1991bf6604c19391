import { ActionIcon, Alert, Anchor, Group, Text, Tooltip } from '@mantine/core'
import type { Asset, Product, ProductGroup } from '@stowage/client'
import { Link } from 'wouter'
import { sizeOf } from '../assets/asset-kind.ts'
import { AssetPicker } from '../assets/asset-picker.tsx'
import { assetsUrl, readAssetQuery } from '../assets/asset-query.ts'
import { AssetThumbnail } from '../assets/asset-thumbnail.tsx'
import { DamagedMark } from '../assets/damaged-mark.tsx'
import { useAttach } from '../assets/use-attach.ts'
import { useDetach } from '../assets/use-detach.ts'
import { LoadedSection } from '../components/loaded-section.tsx'
import { Name } from '../components/name.tsx'
import { useFocusHandover } from '../components/use-focus-handover.ts'
import { countText } from '../format/count-text.ts'
import { errorText } from '../format/error-text.ts'
import { IconX } from '../icons/icons.ts'
import { RequireScope } from '../session/require-scope.tsx'
import { ChooseFiles } from '../uploads/choose-files.tsx'
import classes from './product-page.module.css'
import { useProductAssets } from './use-products.ts'

/** The assets of a product, with controls to attach, detach and upload. */
export function ProductAssets({ product }: { product: ProductGroup }) {
  const { product_id: productId } = product
  const assets = useProductAssets(productId)
  const attach = { product_ids: [productId] }
  const attaching = useAttach()
  const detaching = useDetach()
  const error = attaching.error ?? detaching.error
  const detach = (asset: Asset) => {
    attaching.reset()
    detaching.mutate([{ asset, products: variantsOf(asset, product) }])
  }
  return (
    <LoadedSection query={assets} title="Assets">
      {({ data, meta }) => (
        <>
          <RequireScope scope="write">
            <Group align="flex-end" mb="sm" gap="sm">
              <AssetPicker
                onPick={(asset) => attaching.mutate({ assets: [asset], products: attach })}
                exclude={data}
              />
              <ChooseFiles attach={attach} />
            </Group>
          </RequireScope>
          {error !== null && (
            <Alert color="red" title="Could not change the assets" role="alert" mb="sm">
              {errorText(error)}
            </Alert>
          )}
          {data.length === 0 && (
            <Text c="dimmed" size="sm">
              No assets attached. Drop files on this page to upload them and attach them to all
              variants.
            </Text>
          )}
          <ul className={classes.assets}>
            {data.map((asset) => (
              <AssetItem
                key={asset.id}
                asset={asset}
                product={product}
                onDetach={() => detach(asset)}
              />
            ))}
          </ul>
          {meta.total > 0 && (
            <Anchor
              component={Link}
              href={assetsUrl({ ...readAssetQuery(''), product: `${productId}` })}
              size="sm"
              display="inline-block"
              mt="sm"
            >
              Show {countText(meta.total, 'asset')} in the list of assets
            </Anchor>
          )}
        </>
      )}
    </LoadedSection>
  )
}

interface ItemProps {
  asset: Asset
  product: ProductGroup
  onDetach(): void
}

function AssetItem({ asset, product, onDetach }: ItemProps) {
  const row = useFocusHandover<HTMLLIElement>()
  return (
    <li ref={row}>
      <AssetThumbnail asset={asset} />
      <div style={{ minWidth: 0 }}>
        <Anchor
          component={Link}
          href={`/assets/${asset.id}`}
          c="inherit"
          fz="sm"
          fw={500}
          display="block"
          py={2}
        >
          <Name>{asset.filename}</Name>
        </Anchor>
        {asset.damaged && <DamagedMark />}
        {factsOf(asset, product) !== '' && (
          <Name fz="xs" c="dimmed">
            {factsOf(asset, product)}
          </Name>
        )}
      </div>
      <Text size="sm" c="dimmed" className={classes.size}>
        {sizeOf(asset)}
      </Text>
      <RequireScope scope="write">
        <Tooltip label="Detach">
          <ActionIcon
            variant="subtle"
            color="gray"
            aria-label={`Detach ${asset.filename}`}
            onClick={onDetach}
          >
            <IconX size={18} aria-hidden />
          </ActionIcon>
        </Tooltip>
      </RequireScope>
    </li>
  )
}

/** The variants that the asset is attached to, and its folder, which distinguishes files of the same name. */
function factsOf(asset: Asset, product: ProductGroup): string {
  return [attachedText(variantsOf(asset, product), product), asset.path].filter(Boolean).join(' · ')
}

function attachedText(attached: readonly Product[], { variants_total: total }: ProductGroup) {
  if (total === 1) return ''
  if (attached.length === total) return 'All variants'
  const [first] = attached
  return attached.length === 1 ? first?.variant_name : `${attached.length} of ${total} variants`
}

function variantsOf({ products = [] }: Asset, { product_id: productId }: ProductGroup) {
  return products.filter(({ product_id }) => product_id === productId)
}
