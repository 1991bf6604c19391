import { ActionIcon, Alert, Anchor, Group, MultiSelect, Text, Tooltip } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import type { Asset, Product, ProductGroup } from '@stowage/client'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { type DragEvent, useLayoutEffect, useRef, useState } from 'react'
import { Link } from 'wouter'
import { AssetThumbnail, DamagedMark } from '../assets/asset-icon.tsx'
import { sizeOf } from '../assets/asset-kind.ts'
import { assetFilters, assetsUrl, readAssetQuery } from '../assets/asset-query.ts'
import { textHasWords } from '../assets/product-choices.ts'
import { useAttach, useDetach } from '../assets/use-asset-changes.ts'
import { DROPDOWN, useFirstOption } from '../components/dropdown.ts'
import { useFocusHandover } from '../components/focus.ts'
import { LoadedSection } from '../components/sections.tsx'
import { Name } from '../components/values.tsx'
import { errorText, numberText } from '../format.ts'
import { products as texts } from '../i18n/en/products.ts'
import { fill, plural } from '../i18n/texts.ts'
import { IconArrowDown, IconArrowUp, IconGripVertical, IconX } from '../icons/icons.tsx'
import { queryKeys } from '../query-keys.ts'
import { RequireScope, useHasScope } from '../session/account.tsx'
import { useClient } from '../session/session.tsx'
import { ChooseFiles } from '../uploads/add-files.tsx'
import classes from './product-page.module.css'
import { sortByMatch } from './suggestions.ts'
import { useFileOrder, useProductAssets } from './use-products.ts'

interface ProductAssetsProps {
  product: ProductGroup
  /** The variant in the URL. */
  variantId: string
}

/** The assets of a product, with controls to attach, detach, upload and arrange them. */
export function ProductAssets({ product, variantId }: ProductAssetsProps) {
  const { product_id: productId } = product
  const assets = useProductAssets(productId, variantId)
  const arranging = useFileOrder(productId, variantId)
  const drag = useDrag((from, to) => arranging.mutate(moved(assets.data?.data ?? [], from, to)))
  const attach = { product_ids: [productId] }
  const attaching = useAttach()
  const detaching = useDetach()
  const error = attaching.error ?? detaching.error ?? arranging.error
  const detach = (asset: Asset) => {
    attaching.reset()
    detaching.mutate([{ asset, products: variantsOf(asset, product) }])
  }
  return (
    <LoadedSection query={assets} title={texts.assets}>
      {({ data, meta }) => (
        <>
          <RequireScope scope="write">
            <Group align="flex-end" mb="sm" gap="sm">
              <AssetPicker
                onPick={(asset) => attaching.mutate({ assets: [asset], products: attach })}
                exclude={data}
                product={product}
              />
              <ChooseFiles attach={attach} />
            </Group>
          </RequireScope>
          {error !== null && (
            <Alert
              color="red"
              title={arranging.error === null ? texts.changeFailed : texts.fileOrderFailed}
              role="alert"
              mb="sm"
            >
              {errorText(error)}
            </Alert>
          )}
          {data.length === 0 && (
            <Text c="dimmed" size="sm">
              {texts.noneAttached}
            </Text>
          )}
          {data.length > 1 && (
            <Text c="dimmed" size="sm" mb="xs">
              {texts.fileOrderHint}
            </Text>
          )}
          <ul className={classes.assets}>
            {data.map((asset, index) => (
              <AssetItem
                key={asset.id}
                asset={asset}
                product={product}
                onDetach={() => detach(asset)}
                // A page does not have all files of a product with more.
                isMovable={data.length > 1 && data.length === meta.total}
                index={index}
                isLast={index === data.length - 1}
                onMove={(by) => arranging.mutate(moved(data, index, index + by))}
                drag={drag}
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
              {plural(texts.showInList, meta.total)}
            </Anchor>
          )}
        </>
      )}
    </LoadedSection>
  )
}

/** The assets with one of them in another place. */
function moved(assets: readonly Asset[], from: number, to: number): Asset[] {
  const others = assets.toSpliced(from, 1)
  return others.toSpliced(to, 0, ...assets.slice(from, from + 1))
}

interface Drag {
  /** The row that is dragged. */
  dragged: number | undefined
  /** The row that it would become if it were dropped now. */
  target: number | undefined
  start(index: number): void
  over(index: number): void
  /** Moves the row, unless the drag was cancelled. */
  drop(): void
  end(): void
}

/** Rows that are dragged with the pointer to arrange them. The buttons of the rows do the same for the keyboard. */
function useDrag(onMove: (from: number, to: number) => void): Drag {
  const [state, setState] = useState<{ dragged?: number; target?: number }>({})
  const { dragged, target } = state
  const end = () => setState({})
  return {
    dragged,
    target,
    start: (index) => setState({ dragged: index, target: index }),
    over: (index) => index !== target && setState({ ...state, target: index }),
    drop() {
      if (dragged !== undefined && target !== undefined && dragged !== target) {
        onMove(dragged, target)
      }
      end()
    },
    end,
  }
}

interface AssetItemProps {
  asset: Asset
  product: ProductGroup
  onDetach(): void
  isMovable: boolean
  index: number
  isLast: boolean
  onMove(by: -1 | 1): void
  drag: Drag
}

function AssetItem(props: AssetItemProps) {
  const { asset, product, onDetach, isMovable, index, isLast, onMove, drag } = props
  const isDraggable = useHasScope('write') && isMovable
  const row = useFocusHandover<HTMLLIElement>()
  const pressed = useRef<HTMLButtonElement>(undefined)
  const move = (by: -1 | 1, button: HTMLButtonElement) => {
    pressed.current = button
    onMove(by)
  }
  // Browsers take the focus from an element that moves.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the element moves when the index changes
  useLayoutEffect(() => {
    pressed.current?.focus()
    pressed.current = undefined
  }, [index])
  return (
    <li ref={row} {...(isDraggable && dragProps(drag, index))}>
      {isDraggable && <IconGripVertical size={16} className={classes.grip} aria-hidden />}
      <AssetThumbnail asset={asset} />
      <div style={{ minWidth: 0 }}>
        <Anchor
          component={Link}
          href={`/assets/${asset.id}`}
          // Otherwise the link is dragged instead of the row.
          draggable={isDraggable ? false : undefined}
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
        {isMovable && (
          <>
            <ActionIcon
              variant="subtle"
              color="gray"
              aria-label={fill(texts.moveUpNamed, { name: asset.filename })}
              aria-disabled={index === 0 || undefined}
              onClick={({ currentTarget }) => index > 0 && move(-1, currentTarget)}
            >
              <IconArrowUp size={18} aria-hidden />
            </ActionIcon>
            <ActionIcon
              variant="subtle"
              color="gray"
              aria-label={fill(texts.moveDownNamed, { name: asset.filename })}
              aria-disabled={isLast || undefined}
              onClick={({ currentTarget }) => !isLast && move(1, currentTarget)}
            >
              <IconArrowDown size={18} aria-hidden />
            </ActionIcon>
          </>
        )}
        <Tooltip label={texts.detach}>
          <ActionIcon
            variant="subtle"
            color="gray"
            aria-label={fill(texts.detachNamed, { name: asset.filename })}
            onClick={onDetach}
          >
            <IconX size={18} aria-hidden />
          </ActionIcon>
        </Tooltip>
      </RequireScope>
    </li>
  )
}

/** For a row that can be dragged, and over which others are dragged. */
function dragProps(drag: Drag, index: number) {
  const { dragged, target } = drag
  const isTarget = dragged !== undefined && target === index && dragged !== index
  return {
    draggable: true,
    'data-dragged': dragged === index || undefined,
    'data-drop': isTarget ? (target > dragged ? 'after' : 'before') : undefined,
    onDragStart({ dataTransfer }: DragEvent) {
      dataTransfer.effectAllowed = 'move'
      // Firefox drags nothing without data.
      dataTransfer.setData(DRAG_KIND, '')
      drag.start(index)
    },
    onDragOver(event: DragEvent) {
      if (dragged === undefined) return
      event.preventDefault()
      drag.over(index)
    },
    onDrop(event: DragEvent) {
      if (dragged === undefined) return
      event.preventDefault()
      drag.drop()
    },
    onDragEnd: drag.end,
  }
}

const DRAG_KIND = 'application/x-stowage-row'

/** The variants that the asset is attached to, and its folder, which distinguishes files of the same name. */
function factsOf(asset: Asset, product: ProductGroup): string {
  return [attachedText(variantsOf(asset, product), product), asset.path].filter(Boolean).join(' · ')
}

function attachedText(attached: readonly Product[], { variants_total: total }: ProductGroup) {
  if (total === 1) return ''
  if (attached.length === total) return texts.allVariants
  const [first] = attached
  if (attached.length === 1) return first?.variant_name
  return plural(texts.someVariants, total, { attached: numberText(attached.length) })
}

function variantsOf({ products = [] }: Asset, { product_id: productId }: ProductGroup) {
  return products.filter(({ product_id }) => product_id === productId)
}

/** `drums.zip (45 MB)` */
function labelOf(asset: Asset): string {
  const size = sizeOf(asset)
  return size === undefined ? asset.filename : `${asset.filename} (${size})`
}

interface AssetPickerProps {
  onPick(asset: Asset): void
  /** Assets that are not offered. */
  exclude: readonly Asset[]
  /** Assets with its name or an SKU are offered first. */
  product: ProductGroup
}

const MAX_OFFERED_ASSETS = 20
/** How many assets without a product are compared with the name of the product. */
const MAX_COMPARED_ASSETS = 200

/**
 * Searches the assets of the account, and calls `onPick` with each one that the user chooses. The list stays open, to
 * choose several. Without a search, it offers assets without a product.
 */
function AssetPicker({ onPick, exclude, product }: AssetPickerProps) {
  const client = useClient()
  const [text, setText] = useState('')
  const [isOpen, setOpen] = useState(false)
  /** Chosen since the list was opened. They are not offered again, even before they are attached. */
  const [picked, setPicked] = useState<readonly Asset[]>([])
  const [search] = useDebouncedValue(text.trim(), 150)
  const { data, isFetching, isPlaceholderData } = useQuery({
    queryKey: queryKeys.assetSearch(search),
    queryFn: async ({ signal }) => {
      const list = (query: object) => client.assets({ ...query, signal }).page()
      const all = { ...assetFilters({ ...readAssetQuery(''), search }), limit: MAX_OFFERED_ASSETS }
      if (search !== '') return list(all)
      const unattached = await list({ attached: false, limit: MAX_COMPARED_ASSETS })
      return unattached.data.length > 0 ? unattached : list(all)
    },
    placeholderData: keepPreviousData,
  })
  const excluded = new Set([...exclude, ...picked].map(({ id }) => id))
  // Until the service has responded, assets of the previous search remain if they contain the words.
  const isStale = text.trim() !== search || isFetching
  const isListed = text.trim() === search && data !== undefined && !isPlaceholderData
  const isSelectingFirst = useFirstOption(text, isListed)
  const listed = search === '' ? sortByMatch(data?.data ?? [], product) : (data?.data ?? [])
  const found = listed
    .filter(({ id, filename }) => !excluded.has(id) && (!isStale || textHasWords(filename, text)))
    .slice(0, MAX_OFFERED_ASSETS)
  return (
    <MultiSelect
      label={texts.attachAssets}
      placeholder={texts.chooseAssets}
      flex={1}
      miw={200}
      searchable
      data={found.map((asset) => ({ value: asset.id, label: labelOf(asset) }))}
      // The service has filtered already.
      filter={({ options }) => options}
      searchValue={text}
      onSearchChange={setText}
      value={[]}
      onChange={([chosen]) => {
        const asset = found.find(({ id }) => id === chosen)
        if (asset === undefined) return
        setPicked([...picked, asset])
        onPick(asset)
      }}
      dropdownOpened={isOpen}
      onDropdownOpen={() => setOpen(true)}
      onDropdownClose={() => {
        setOpen(false)
        setText('')
        setPicked([])
      }}
      selectFirstOptionOnChange={isSelectingFirst}
      nothingFoundMessage={isStale ? texts.searching : texts.noMatchingAssets}
      {...DROPDOWN}
    />
  )
}
