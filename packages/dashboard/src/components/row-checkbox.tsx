import { Checkbox, type CheckboxProps } from '@mantine/core'
import classes from './list-table.module.css'

/** A checkbox in a cell of a table. The area around it reacts to clicks and touches too. */
export function RowCheckbox(props: CheckboxProps & { 'aria-label': string }) {
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: Checkbox renders the input
    <label className={classes.check}>
      <Checkbox {...props} />
    </label>
  )
}
