import { Button, Paper, Table, Text, VisuallyHidden } from '@mantine/core'
import { useMergedRef } from '@mantine/hooks'
import type { Asset, AssetFilter } from '@stowage/client'
import { type ReactNode, useCallback, useEffect, useRef, useState } from 'react'
import { useFocusHandover, useKey } from '../components/focus.ts'
import { RowCheckbox } from '../components/lists.tsx'
import { useHeightProperty } from '../components/page.tsx'
import { assets as assetTexts } from '../i18n/en/assets.ts'
import { changes as texts } from '../i18n/en/changes.ts'
import { plural } from '../i18n/texts.ts'
import classes from './selection.module.css'

/** All assets that match the filter of the list, on all pages. */
export interface AllMatches {
  filter: AssetFilter
  /** How many there are. The service refuses the change if it finds another number. */
  total: number
}

export interface Selection {
  /** If `all` is set, only some of the selected assets. */
  selected: ReadonlyMap<string, Asset>
  /** Undefined if only certain assets are selected. */
  all: AllMatches | undefined
  selectAll(all: AllMatches): void
  has(id: string): boolean
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
  const [all, setAll] = useState<AllMatches>()
  const last = useRef<string | undefined>(undefined)
  const visible = useRef(page)
  visible.current = page

  const toggle = useCallback((asset: Asset, isRange: boolean) => {
    const indexOf = (id: string | undefined) => visible.current.findIndex((one) => one.id === id)
    const ends = [indexOf(last.current), indexOf(asset.id)].toSorted((a, b) => a - b)
    const [from = -1, to = -1] = ends
    const toggled = isRange && from >= 0 ? visible.current.slice(from, to + 1) : [asset]
    last.current = asset.id
    setAll(undefined)
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
    setAll(undefined)
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

  /** The assets of the page, so that they stay selected, except for one that is deselected. */
  const selectAll = useCallback((matches: AllMatches) => {
    setSelected(new Map(visible.current.map((one) => [one.id, one])))
    setAll(matches)
  }, [])

  const clear = useCallback(() => {
    last.current = undefined
    setAll(undefined)
    setSelected((before) => (before.size === 0 ? before : new Map()))
  }, [])

  const has = (id: string) => all !== undefined || selected.has(id)

  return { selected, all, selectAll, has, toggle, togglePage, add, clear }
}

interface SelectPageProps {
  assets: readonly Asset[] | undefined
  selection: Selection
}

/** The head of the column that selects assets. */
export function SelectPage({ assets = [], selection }: SelectPageProps) {
  const count = assets.filter(({ id }) => selection.has(id)).length
  const isAll = count > 0 && count === assets.length
  return (
    <Table.Th w={44}>
      <RowCheckbox
        checked={isAll}
        indeterminate={count > 0 && !isAll}
        disabled={assets.length === 0}
        aria-label={assetTexts.selectPage}
        onChange={selection.togglePage}
      />
    </Table.Th>
  )
}

interface SelectionPaperProps {
  selection: Selection
  /** Whether its first button gets the focus when the bar appears. */
  hasFocus?: boolean
  /** The buttons. */
  children: ReactNode
}

/** A bar at the bottom of a list, with actions for the selected assets. */
export function SelectionPaper({ selection, hasFocus = false, children }: SelectionPaperProps) {
  const { selected, all, clear } = selection
  const paper = useRef<HTMLDivElement>(null)
  const bar = useMergedRef(
    paper,
    useFocusHandover<HTMLDivElement>(),
    useHeightProperty('--selection-height'),
  )
  // The bar is after the whole list, which has a hundred tab stops.
  const focusFirst = useCallback(() => paper.current?.querySelector('button')?.focus(), [])
  useKey('Ctrl+Enter', focusFirst)
  useEffect(() => {
    if (hasFocus) focusFirst()
  }, [hasFocus, focusFirst])
  return (
    <Paper
      ref={bar}
      component="section"
      aria-label={texts.selection}
      className={classes.bar}
      withBorder
      shadow="md"
      p="xs"
    >
      <div className={classes.content}>
        <Text size="sm" fw={500} px="xs" className={classes.count} role="status">
          {all ? plural(texts.allSelected, all.total) : plural(texts.selected, selected.size)}
          <VisuallyHidden>. {texts.keysHint}</VisuallyHidden>
        </Text>
        <div className={classes.actions}>{children}</div>
        <Button
          size="compact-sm"
          variant="subtle"
          color="gray"
          className={classes.clear}
          onClick={clear}
        >
          {texts.clear}
        </Button>
      </div>
    </Paper>
  )
}
