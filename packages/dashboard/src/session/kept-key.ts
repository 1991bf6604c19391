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
