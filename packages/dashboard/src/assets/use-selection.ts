import type { Asset } from '@stowage/client'
import { useCallback, useRef, useState } from 'react'

export interface Selection {
  chosen: ReadonlyMap<string, Asset>
  /** `isRange`: all from the last one to this one, as they lie on the page. */
  toggle(asset: Asset, isRange: boolean): void
  togglePage(): void
  clear(): void
}

/** Assets that people have picked; it outlasts a change of the page. */
export function useSelection(page: readonly Asset[]): Selection {
  const [chosen, setChosen] = useState<ReadonlyMap<string, Asset>>(new Map())
  const last = useRef<string | undefined>(undefined)
  const now = useRef(page)
  now.current = page

  const toggle = useCallback((asset: Asset, isRange: boolean) => {
    const indexOf = (id: string | undefined) => now.current.findIndex((one) => one.id === id)
    const ends = [indexOf(last.current), indexOf(asset.id)].toSorted((a, b) => a - b)
    const [from = -1, to = -1] = ends
    const touched = isRange && from >= 0 ? now.current.slice(from, to + 1) : [asset]
    last.current = asset.id
    setChosen((before) => {
      const after = new Map(before)
      for (const one of touched) {
        if (before.has(asset.id)) after.delete(one.id)
        else after.set(one.id, one)
      }
      return after
    })
  }, [])

  const togglePage = useCallback(() => {
    setChosen((before) => {
      const after = new Map(before)
      const isWhole = now.current.every(({ id }) => before.has(id))
      for (const one of now.current) {
        if (isWhole) after.delete(one.id)
        else after.set(one.id, one)
      }
      return after
    })
  }, [])

  const clear = useCallback(() => {
    last.current = undefined
    setChosen((before) => (before.size === 0 ? before : new Map()))
  }, [])

  return { chosen, toggle, togglePage, clear }
}
