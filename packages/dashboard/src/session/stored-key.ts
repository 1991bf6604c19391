const NAME = 'stowage.key'

/** A remembered key is kept until people sign out, any other for this tab only. */
export function readKey(): string | undefined {
  return sessionStorage.getItem(NAME) ?? localStorage.getItem(NAME) ?? undefined
}

export function storeKey(key: string, { isRemembered }: { isRemembered: boolean }): void {
  removeKey()
  const storage = isRemembered ? localStorage : sessionStorage
  storage.setItem(NAME, key)
}

export function removeKey(): void {
  sessionStorage.removeItem(NAME)
  localStorage.removeItem(NAME)
}

export function isRemembered(): boolean {
  return localStorage.getItem(NAME) !== null
}

/** Calls the listener when people sign out in another tab. Returns a function that stops it. */
export function onKeyRemoved(listener: () => void): () => void {
  const handle = ({ key, newValue }: StorageEvent) => {
    if (key === NAME && newValue === null && readKey() === undefined) listener()
  }
  addEventListener('storage', handle)
  return () => removeEventListener('storage', handle)
}
