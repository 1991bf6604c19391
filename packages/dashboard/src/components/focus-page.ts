/** Moves the focus to the start of the page, after the header and the navigation. */
export function focusPage(): void {
  document.querySelector('main')?.focus({ preventScroll: true })
}
