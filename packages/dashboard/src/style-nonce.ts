/** The nonce that the Content Security Policy of this page requires for styles. */
export function styleNonce(): string {
  return document.querySelector<HTMLMetaElement>('meta[name=style-nonce]')?.content ?? ''
}
