import { IconAlertTriangle } from '../icons/icons.ts'
import classes from './damaged-mark.module.css'

/** Marks a damaged file in a list. Plain elements, like the rows. */
export function DamagedMark() {
  return (
    <span className={classes.mark}>
      <IconAlertTriangle size={14} aria-hidden />
      Damaged
    </span>
  )
}
