import { IconAlertTriangle } from '../icons/icons.ts'
import classes from './damaged-mark.module.css'

/** Marks a damaged file. Consists of plain elements, like `AssetRow`, which contains it. */
export function DamagedMark() {
  return (
    <span className={classes.mark}>
      <IconAlertTriangle size={14} aria-hidden />
      Damaged
    </span>
  )
}
