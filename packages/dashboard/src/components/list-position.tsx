import { Anchor, Group } from '@mantine/core'
import { type ComponentProps, useEffect, useLayoutEffect, useRef } from 'react'
import { Link } from 'wouter'
import { IconArrowLeft } from '../icons/icons.tsx'

/** The lists whose position is saved. */
export type ListPath = '/' | '/products' | '/orders' | '/mails'

/** A list as the user left it: its URL with search, order and page, and how far it was scrolled. */
interface ListPosition {
  url: string
  top: number
}

/** The history state of a navigation that returns to a list. The list then scrolls to where it was left. */
export const RETURN_STATE = { isReturn: true }

const nameOf = (list: ListPath) => `stowage.list ${list}`

/** Kept for this tab. */
export function saveListPosition(list: ListPath, position: ListPosition): void {
  sessionStorage.setItem(nameOf(list), JSON.stringify(position))
}

/** Undefined if the list was not open in this tab. */
export function readListPosition(list: ListPath): ListPosition | undefined {
  const saved = sessionStorage.getItem(nameOf(list))
  return saved === null ? undefined : JSON.parse(saved)
}

/** The URL of the list as the user left it. */
export function listUrl(list: ListPath): string {
  return readListPosition(list)?.url ?? list
}

/** A link to a list as the user left it: with its search, order, page and scroll position. */
export function ReturnLink({ list, ...props }: ComponentProps<'a'> & { list: ListPath }) {
  return <Link {...props} href={listUrl(list)} state={RETURN_STATE} />
}

/** Leads from a single item back to its list, with the search, order, page and scroll position it had. */
export function BackLink({ list, children }: { list: ListPath; children: string }) {
  return (
    <Anchor component={ReturnLink} list={list} size="sm" w="fit-content">
      <Group gap={4}>
        <IconArrowLeft size={16} aria-hidden /> {children}
      </Group>
    </Anchor>
  )
}

interface LoadedPage {
  data: { meta: { last_page: number } } | undefined
  isPlaceholderData: boolean
}

/** Shows the last page if that of the URL does not exist: its rows were deleted, or the URL is old. */
export function useExistingPage(
  page: number,
  { data, isPlaceholderData }: LoadedPage,
  change: (query: { page: number }, options: { replace: true }) => void,
): void {
  const last = data?.meta.last_page ?? page
  const isPastEnd = !isPlaceholderData && page > last
  useEffect(() => {
    if (isPastEnd) change({ page: last }, { replace: true })
  }, [isPastEnd, last, change])
}

/** When the user returns to a list by a link, scrolls it to its previous position once it is loaded. */
export function useRestoredScroll(list: ListPath, isLoaded: boolean): void {
  const isDone = useRef(false)
  useLayoutEffect(() => {
    if (!isLoaded || isDone.current) return
    isDone.current = true
    if (history.state?.isReturn !== RETURN_STATE.isReturn) return
    scrollTo({ top: readListPosition(list)?.top ?? 0, behavior: 'instant' })
    // Otherwise a reload would scroll there again.
    history.replaceState(null, '')
  }, [list, isLoaded])
}
