/** Properties of a field whose options are in a dropdown. */
export const DROPDOWN = {
  // Inside a landmark, as axe requires. The default is the end of the document.
  comboboxProps: { portalProps: { target: 'main' } },
  // The list of options scrolls itself: a scroll area inside of it would be a stop for the keyboard.
  withScrollArea: false,
  styles: { options: { maxHeight: 320, overflowY: 'auto' } },
} as const
