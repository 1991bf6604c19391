/** What the service lets this page's own styles be known by: nobody else can add any. */
export function styleNonce(): string {
  return document.querySelector<HTMLMetaElement>('meta[name=style-nonce]')?.content ?? ''
}
