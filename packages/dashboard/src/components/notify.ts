export interface Notice {
  message: string
  title?: string | undefined
  /** An error stays until it is dismissed. */
  isError?: boolean
  /** A button, such as Undo. */
  action?: { label: string; run(): void }
}

const EVENT = 'stowage-notice'

/** Shows a message in the corner of the window, on every page. */
export function notify(notice: Notice): void {
  dispatchEvent(new CustomEvent(EVENT, { detail: notice }))
}

/** Calls the listener with each notice. Returns a function that removes the listener. */
export function onNotice(listener: (notice: Notice) => void): () => void {
  const handle = (event: Event) => listener((event as CustomEvent<Notice>).detail)
  addEventListener(EVENT, handle)
  return () => removeEventListener(EVENT, handle)
}
