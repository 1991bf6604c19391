import { Button, Paper, Table, Text, VisuallyHidden } from '@mantine/core'
import { useMergedRef } from '@mantine/hooks'
import type { Asset } from '@stowage/client'
import { type ReactNode, useCallback, useRef, useState } from 'react'
import { useFocusHandover, useKey } from '../components/focus.ts'
import { RowCheckbox } from '../components/lists.tsx'
import { useHeightProperty } from '../components/page.tsx'
import { countText } from '../format.ts'
import classes from './selection.module.css'

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

interface SelectPageProps {
  assets: readonly Asset[] | undefined
  selection: Selection
}

/** The head of the column that selects assets. */
export function SelectPage({ assets = [], selection }: SelectPageProps) {
  const count = assets.filter(({ id }) => selection.selected.has(id)).length
  const isAll = count > 0 && count === assets.length
  return (
    <Table.Th w={44}>
      <RowCheckbox
        checked={isAll}
        indeterminate={count > 0 && !isAll}
        disabled={assets.length === 0}
        aria-label="Select all on this page"
        onChange={selection.togglePage}
      />
    </Table.Th>
  )
}

interface SelectionPaperProps {
  selection: Selection
  /** The buttons. */
  children: ReactNode
}

/** A bar at the bottom of a list, with actions for the selected assets. */
export function SelectionPaper({ selection: { selected, clear }, children }: SelectionPaperProps) {
  const paper = useRef<HTMLDivElement>(null)
  const bar = useMergedRef(
    paper,
    useFocusHandover<HTMLDivElement>(),
    useHeightProperty('--selection-height'),
  )
  // The bar is after the whole list, which has a hundred tab stops.
  useKey('Ctrl+Enter', () => paper.current?.querySelector('button')?.focus())
  return (
    <Paper
      ref={bar}
      component="section"
      aria-label="Selection"
      className={classes.bar}
      withBorder
      shadow="md"
      p="xs"
    >
      <div className={classes.content}>
        <Text size="sm" fw={500} px="xs" className={classes.count} role="status">
          {countText(selected.size, 'asset')} selected
          <VisuallyHidden>. Ctrl+Enter moves to the actions.</VisuallyHidden>
        </Text>
        <div className={classes.actions}>{children}</div>
        <Button
          size="compact-sm"
          variant="subtle"
          color="gray"
          className={classes.clear}
          onClick={clear}
        >
          Clear
        </Button>
      </div>
    </Paper>
  )
}
