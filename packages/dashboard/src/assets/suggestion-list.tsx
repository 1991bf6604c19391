import { Alert, Anchor, Checkbox, Paper, Text } from '@mantine/core'
import type { Asset } from '@stowage/client'
import { type KeyboardEvent, useRef, useState } from 'react'
import { Link } from 'wouter'
import { ActionButton } from '../components/action-button.tsx'
import { useFocusHandover } from '../components/focus.ts'
import { Loading } from '../components/page.tsx'
import { EmptyState, ErrorAlert } from '../components/page-states.tsx'
import { Name } from '../components/values.tsx'
import { errorText } from '../format.ts'
import { assets as assetTexts } from '../i18n/en/assets.ts'
import { changes } from '../i18n/en/changes.ts'
import { products } from '../i18n/en/products.ts'
import { suggestions as texts } from '../i18n/en/suggestions.ts'
import { fill, plural } from '../i18n/texts.ts'
import { IconTag } from '../icons/icons.tsx'
import { AssetThumbnail, DamagedMark } from './asset-icon.tsx'
import { sizeOf } from './asset-kind.ts'
import type { Suggestion } from './match-products.ts'
import { type ProductChoice, referencesOf } from './product-choices.ts'
import { ProductPicker } from './product-picker.tsx'
import classes from './suggestion-list.module.css'
import { type ToAttach, useAttachEach, useSuggestions } from './use-suggestions.ts'

/** What the user has changed in a row. */
interface Edit {
  picked?: readonly ProductChoice[]
  isChecked?: boolean
}

interface Row {
  asset: Asset
  suggestion: Suggestion | undefined
  picked: readonly ProductChoice[]
  isChecked: boolean
}

interface SuggestionListProps {
  /** Assets without a product. */
  assets: readonly Asset[]
  isStale: boolean
}

/** Lists assets with a suggested product each, to check and attach all at once. Nothing is attached before that. */
export function SuggestionList({ assets, isStale }: SuggestionListProps) {
  const { data: suggested, error, refetch } = useSuggestions(assets)
  const [edits, setEdits] = useState<ReadonlyMap<string, Edit>>(new Map())
  const area = useFocusHandover<HTMLDivElement>()
  const bar = useRef<HTMLDivElement>(null)
  const attaching = useAttachEach({
    onDone() {
      setEdits(new Map())
      // These rows stay. Without a checked row, the button is disabled and would lose the focus.
      focusOn(area.current?.querySelector(`li:not([data-checked]) ${FIELD}`))
    },
  })
  if (error !== null && suggested === undefined) {
    return <ErrorAlert title={products.loadFailed} error={error} onRetry={refetch} />
  }
  if (suggested === undefined) return <Loading />
  if (suggested === 'none') {
    return (
      <EmptyState Icon={IconTag} color="dimmed" title={products.noProducts}>
        <Anchor component={Link} href="/products/import" underline="always">
          {products.importYours}
        </Anchor>
      </EmptyState>
    )
  }
  const rows = assets.map((asset) => rowOf(asset, suggested.get(asset.id), edits.get(asset.id)))
  const attachable = rows.filter(({ picked }) => picked.length > 0)
  const checked = attachable.filter(({ isChecked }) => isChecked)
  const edit = ({ asset }: Row, change: Edit) =>
    setEdits((before) => new Map(before).set(asset.id, { ...before.get(asset.id), ...change }))
  const checkAll = (isChecked: boolean) => {
    const after = new Map(edits)
    for (const { asset } of attachable) after.set(asset.id, { ...edits.get(asset.id), isChecked })
    setEdits(after)
  }
  /** The field of the next row; after the last one, the button that attaches all. */
  const leaveRow = (index: number) => {
    const next = area.current?.querySelectorAll('li')[index + 1]
    focusOn(next?.querySelector(FIELD) ?? bar.current?.querySelector('button'))
  }
  return (
    <div ref={area} className={classes.area} data-stale={isStale || undefined}>
      <Paper className={classes.bar} withBorder p="sm" ref={bar}>
        <Checkbox
          aria-label={assetTexts.selectPage}
          checked={checked.length > 0 && checked.length === attachable.length}
          indeterminate={checked.length > 0 && checked.length < attachable.length}
          disabled={attachable.length === 0}
          onChange={() => checkAll(checked.length < attachable.length)}
        />
        <Text size="sm" c="dimmed" flex={1} miw={200}>
          {texts.hint}
        </Text>
        <ActionButton
          isBusy={attaching.isPending}
          disabled={checked.length === 0}
          onClick={() => attaching.mutate(groupsOf(checked))}
        >
          {plural(texts.attach, checked.length)}
        </ActionButton>
      </Paper>
      {attaching.error !== null && (
        <Alert color="red" title={changes.attachFailed} role="alert">
          {errorText(attaching.error)}
        </Alert>
      )}
      <ul className={classes.list} aria-label={texts.list}>
        {rows.map((row, index) => (
          <SuggestionRow
            key={row.asset.id}
            row={row}
            onEdit={(change) => edit(row, change)}
            onLeave={() => leaveRow(index)}
          />
        ))}
      </ul>
    </div>
  )
}

const FIELD = 'input:not([type=checkbox]):not([type=hidden])'

function focusOn(element: Element | null | undefined): void {
  if (element instanceof HTMLElement) element.focus()
}

function rowOf(asset: Asset, suggestion: Suggestion | undefined, edit: Edit = {}): Row {
  const picked = edit.picked ?? (suggestion === undefined ? [] : [suggestion.choice])
  const isSure = edit.picked !== undefined || suggestion?.reason !== 'similar'
  return { asset, suggestion, picked, isChecked: picked.length > 0 && (edit.isChecked ?? isSure) }
}

/** Assets with the same products are attached by one call. */
function groupsOf(rows: readonly Row[]): ToAttach[] {
  const keyOf = ({ picked }: Row) =>
    picked
      .map(({ key }) => key)
      .sort()
      .join()
  return [...Map.groupBy(rows, keyOf).values()].map((group) => ({
    assets: group.map(({ asset }) => asset),
    products: referencesOf(group[0]?.picked ?? []),
  }))
}

interface SuggestionRowProps {
  row: Row
  onEdit(change: Edit): void
  onLeave(): void
}

function SuggestionRow({ row, onEdit, onLeave }: SuggestionRowProps) {
  const { asset, suggestion, picked, isChecked } = row
  const element = useFocusHandover<HTMLLIElement>()
  const facts = [sizeOf(asset), asset.path].filter(Boolean).join(' · ')
  const pick = (choices: ProductChoice[]) => {
    onEdit({ picked: choices, isChecked: choices.length > 0 })
    if (choices.length > picked.length) onLeave()
  }
  // The field has handled the key already if it chooses an option.
  const onKeyDown = (event: KeyboardEvent) => {
    const isField = event.target instanceof Element && event.target.matches(FIELD)
    if (event.key !== 'Enter' || !isField || event.defaultPrevented) return
    if (event.nativeEvent.isComposing || (event.target as HTMLInputElement).value !== '') return
    event.preventDefault()
    if (picked.length > 0) onEdit({ isChecked: true })
    onLeave()
  }
  return (
    <li ref={element} className={classes.row} data-checked={isChecked || undefined}>
      <Checkbox
        className={classes.check}
        aria-label={fill(texts.include, { name: asset.filename })}
        checked={isChecked}
        disabled={picked.length === 0}
        onChange={({ currentTarget }) => onEdit({ isChecked: currentTarget.checked })}
      />
      <div className={classes.asset}>
        <AssetThumbnail asset={asset} />
        <div className={classes.texts}>
          <Link href={`/assets/${asset.id}`} className={classes.name}>
            <Name>{asset.filename}</Name>
          </Link>
          {asset.damaged && <DamagedMark />}
          <Name fz="xs" c="dimmed">
            {facts}
          </Name>
        </div>
      </div>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the keys are those of the field in it */}
      <div className={classes.product} onKeyDown={onKeyDown}>
        <ProductPicker
          label={fill(texts.productOf, { name: asset.filename })}
          isLabelHidden
          picked={picked}
          onPick={pick}
        />
        <Text size="xs" c="dimmed" mt={2}>
          {reasonText(row, suggestion)}
        </Text>
      </div>
    </li>
  )
}

function reasonText({ picked }: Row, suggestion: Suggestion | undefined): string {
  const isSuggested = picked.length === 1 && picked[0]?.key === suggestion?.choice.key
  if (isSuggested && suggestion !== undefined) return texts.reasons[suggestion.reason]
  return picked.length === 0 ? texts.none : texts.chosen
}
