import { useEffect, useState } from 'react'

/** Properties of a field whose options are in a dropdown. */
export const DROPDOWN = {
  // The dropdown is inside a landmark, as axe requires, instead of at the end of the document.
  comboboxProps: { portalProps: { target: 'main' } },
  // The list of options scrolls itself: a scroll area inside it would be an extra tab stop.
  withScrollArea: false,
  styles: { options: { maxHeight: 320, overflowY: 'auto' } },
} as const

/**
 * For `selectFirstOptionOnChange`: highlights the first option once the options for the text are listed, so
 * that Enter chooses it. Returns true for one render only: otherwise the next key press would highlight an
 * option of the previous text.
 */
export function useFirstOption(text: string, isListed: boolean): boolean {
  const [isSelecting, setSelecting] = useState(false)
  useEffect(() => setSelecting(isListed && text.trim() !== ''), [isListed, text])
  useEffect(() => {
    if (isSelecting) setSelecting(false)
  }, [isSelecting])
  return isSelecting
}
