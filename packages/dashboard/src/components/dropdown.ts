/** Properties of a field whose options are in a dropdown. */
export const DROPDOWN = {
  // The dropdown is inside a landmark, as axe requires, instead of at the end of the document.
  comboboxProps: { portalProps: { target: 'main' } },
  // The list of options scrolls itself: a scroll area inside it would be an extra tab stop.
  withScrollArea: false,
  styles: { options: { maxHeight: 320, overflowY: 'auto' } },
} as const
