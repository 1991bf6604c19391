/** A word about what happened. */
export interface Notice {
  message: string
  title?: string
  /** It stays until people have seen it. */
  isFailure?: boolean
}

const NAME = 'stowage:notice'

/** In a corner of the window, on whatever page people are. */
export function showNotice(notice: Notice): void {
  dispatchEvent(new CustomEvent(NAME, { detail: notice }))
}

/** Returns how to listen no more. */
export function onNotice(tell: (notice: Notice) => void): () => void {
  const listen = (event: Event) => tell((event as CustomEvent<Notice>).detail)
  addEventListener(NAME, listen)
  return () => removeEventListener(NAME, listen)
}
