import { useEffect, useState } from 'react'

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
