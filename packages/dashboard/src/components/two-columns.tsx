import type { ReactNode } from 'react'
import classes from './two-columns.module.css'

/** Two columns on a wide screen, otherwise one below the other. */
export function TwoColumns({ children }: { children: ReactNode }) {
  return <div className={classes.columns}>{children}</div>
}
