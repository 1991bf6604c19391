export interface Notice {
  message: string
  title?: string | undefined
  /** An error stays until it is dismissed. */
  isError?: boolean
  /** A button, such as Undo. */
  action?: { label: string; run(): void }
  /** Its subjects, such as the IDs of assets. A later notice about one of the same subjects removes this one. */
  about?: readonly string[]
}

const EVENT = 'stowage-notice'

/** Shows a message in the corner of the window, on every page. */
export function notify(notice: Notice): void {
  dispatch({ notice, about: notice.about ?? [] })
}

/** Removes the notices about any of these subjects, because they are no longer true. */
export function dismissNotices(about: readonly string[]): void {
  dispatch({ about })
}

interface Change {
  /** Undefined: notices are only removed. */
  notice?: Notice
  /** Earlier notices about any of these subjects are removed. */
  about: readonly string[]
}

function dispatch(detail: Change): void {
  dispatchEvent(new CustomEvent(EVENT, { detail }))
}

/** Calls the listener with each change of the notices. Returns a function that removes the listener. */
export function onNotice(listener: (change: Change) => void): () => void {
  const handle = (event: Event) => listener((event as CustomEvent<Change>).detail)
  addEventListener(EVENT, handle)
  return () => removeEventListener(EVENT, handle)
}
