const NAME = 'stowage.key'

/** For this tab only, or, when people asked for it, until they sign out. */
export function readKey(): string | undefined {
  return sessionStorage.getItem(NAME) ?? localStorage.getItem(NAME) ?? undefined
}

export function keepKey(key: string, { isRemembered }: { isRemembered: boolean }): void {
  forgetKey()
  const place = isRemembered ? localStorage : sessionStorage
  place.setItem(NAME, key)
}

export function forgetKey(): void {
  sessionStorage.removeItem(NAME)
  localStorage.removeItem(NAME)
}

export function isRemembered(): boolean {
  return localStorage.getItem(NAME) !== null
}

/** Told when people sign out in another tab. Returns how to listen no more. */
export function onKeyForgotten(tell: () => void): () => void {
  const listen = ({ key, newValue }: StorageEvent) => {
    if (key === NAME && newValue === null && readKey() === undefined) tell()
  }
  addEventListener('storage', listen)
  return () => removeEventListener('storage', listen)
}
