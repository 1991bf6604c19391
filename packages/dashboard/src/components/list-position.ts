/** The lists whose position is saved. */
export type ListPath = '/' | '/products'

/** A list as the user left it: its URL with search, order and page, and how far it was scrolled. */
export interface ListPosition {
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
