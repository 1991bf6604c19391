import type { Asset } from '@stowage/client'
import { memo } from 'react'
import { Link } from 'wouter'
import { DateTime } from '../components/date-time.tsx'
import { Name } from '../components/name.tsx'
import { RowCheckbox } from '../components/row-checkbox.tsx'
import { useFocusHandover } from '../components/use-focus-handover.ts'
import { KIND_LABELS, sizeOf } from './asset-kind.ts'
import classes from './asset-row.module.css'
import { AssetThumbnail } from './asset-thumbnail.tsx'
import { DamagedMark } from './damaged-mark.tsx'
import { productNames } from './product-names.ts'

interface Props {
  asset: Asset
  isSelected: boolean
  /** Undefined if assets cannot be selected. */
  onToggle: ((asset: Asset, isRange: boolean) => void) | undefined
}

const WIDE_ONLY = 'mantine-visible-from-sm'
const PHONE_ONLY = 'mantine-hidden-from-sm'

/**
 * On a phone, the contents of the other columns are below the name. The row consists of plain elements: Mantine's
 * components would take most of the time needed to show the first page.
 */
export const AssetRow = memo(function AssetRow({ asset, isSelected, onToggle }: Props) {
  const row = useFocusHandover<HTMLTableRowElement>()
  const names = productNames(asset.products)
  const [first] = names
  return (
    <tr ref={row} data-selected={isSelected || undefined}>
      {onToggle && (
        <td className={classes.check}>
          <RowCheckbox
            checked={isSelected}
            aria-label={`Select ${asset.filename}`}
            onChange={({ nativeEvent }) =>
              onToggle(asset, nativeEvent instanceof MouseEvent && nativeEvent.shiftKey)
            }
          />
        </td>
      )}
      <td className={classes.main}>
        <div className={classes.asset}>
          <AssetThumbnail asset={asset} />
          <div className={classes.texts}>
            <Link
              href={`/assets/${asset.id}`}
              data-row-link
              title={[asset.filename, ...names].join('\n')}
              className={classes.name}
            >
              <Name>{asset.filename}</Name>
            </Link>
            {asset.damaged && <DamagedMark />}
            {asset.path !== null && (
              <div className={classes.facts}>
                <Name>{asset.path}</Name>
              </div>
            )}
            {first !== undefined && (
              <div className={`${classes.facts} ${PHONE_ONLY}`}>
                <Name>{names.length > 1 ? `${first} +${names.length - 1}` : first}</Name>
              </div>
            )}
            <div className={`${classes.facts} ${PHONE_ONLY}`}>
              {sizeOf(asset) ?? KIND_LABELS.link} · <DateTime value={asset.created_at} isDateOnly />
            </div>
          </div>
        </div>
      </td>
      <td className={`${classes.size} ${WIDE_ONLY}`}>{sizeOf(asset)}</td>
      <td className={`${classes.products} ${WIDE_ONLY}`}>
        {first !== undefined && (
          <div>
            <Name>{first}</Name>
            {names.length > 1 && <span>+{names.length - 1}</span>}
          </div>
        )}
      </td>
      <td className={WIDE_ONLY}>
        <DateTime value={asset.created_at} />
      </td>
    </tr>
  )
})
