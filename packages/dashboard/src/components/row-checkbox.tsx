import { type ChangeEvent, useEffect, useRef } from 'react'
import classes from './list-table.module.css'

interface Props {
  'aria-label': string
  checked: boolean
  indeterminate?: boolean
  disabled?: boolean
  onChange(event: ChangeEvent<HTMLInputElement>): void
}

/**
 * A checkbox in a cell of a table. The area around it reacts to clicks and touches too. It is a plain element, which
 * is rendered faster, because a page has one in every row.
 */
export function RowCheckbox({ indeterminate = false, ...props }: Props) {
  const input = useRef<HTMLInputElement>(null)
  useEffect(() => {
    if (input.current !== null) input.current.indeterminate = indeterminate
  }, [indeterminate])
  return (
    <label className={classes.check}>
      <input ref={input} type="checkbox" className={classes.box} {...props} />
    </label>
  )
}
