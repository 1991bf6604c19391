import type { Asset } from '@stowage/client'
import { useCallback, useRef, useState } from 'react'

export interface Selection {
  selected: ReadonlyMap<string, Asset>
  /** Selects or deselects the asset. With `isRange`, also those between it and the last toggled one on the page. */
  toggle(asset: Asset, isRange: boolean): void
  togglePage(): void
  /** Adds assets, which may be on other pages. */
  add(assets: readonly Asset[]): void
  clear(): void
}

/** The selected assets. The selection survives a change of the page. */
export function useSelection(page: readonly Asset[]): Selection {
  const [selected, setSelected] = useState<ReadonlyMap<string, Asset>>(new Map())
  const last = useRef<string | undefined>(undefined)
  const visible = useRef(page)
  visible.current = page

  const toggle = useCallback((asset: Asset, isRange: boolean) => {
    const indexOf = (id: string | undefined) => visible.current.findIndex((one) => one.id === id)
    const ends = [indexOf(last.current), indexOf(asset.id)].toSorted((a, b) => a - b)
    const [from = -1, to = -1] = ends
    const toggled = isRange && from >= 0 ? visible.current.slice(from, to + 1) : [asset]
    last.current = asset.id
    setSelected((before) => {
      const after = new Map(before)
      for (const one of toggled) {
        if (before.has(asset.id)) after.delete(one.id)
        else after.set(one.id, one)
      }
      return after
    })
  }, [])

  const togglePage = useCallback(() => {
    setSelected((before) => {
      const after = new Map(before)
      const isAll = visible.current.every(({ id }) => before.has(id))
      for (const one of visible.current) {
        if (isAll) after.delete(one.id)
        else after.set(one.id, one)
      }
      return after
    })
  }, [])

  const add = useCallback((assets: readonly Asset[]) => {
    setSelected((before) => new Map([...before, ...assets.map((one) => [one.id, one] as const)]))
  }, [])

  const clear = useCallback(() => {
    last.current = undefined
    setSelected((before) => (before.size === 0 ? before : new Map()))
  }, [])

  return { selected, toggle, togglePage, add, clear }
}
