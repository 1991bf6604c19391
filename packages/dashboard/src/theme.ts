import {
  type CSSVariablesResolver,
  createTheme,
  Menu,
  Modal,
  ModalHeader,
  Notification,
} from '@mantine/core'

export const theme = createTheme({
  primaryColor: 'cyan',
  // Dark enough for white text on it, and as a text color on white.
  primaryShade: { light: 9, dark: 9 },
  defaultRadius: 'md',
  cursorType: 'pointer',
  focusRing: 'auto',
  respectReducedMotion: true,
  components: {
    Menu: Menu.extend({
      defaultProps: {
        // The menu is inside a landmark, as axe requires, instead of at the end of the document.
        portalProps: { target: 'main' },
        // The first item gets the focus. A menu must not contain anything but items.
        withInitialFocusPlaceholder: false,
      },
    }),
    Modal: Modal.extend({ styles: { title: { fontWeight: 600 } } }),
    // Otherwise screen readers take it for a second page header.
    ModalHeader: ModalHeader.extend({ defaultProps: { role: 'presentation' } }),
    // The default color below a title misses the contrast of WCAG AA.
    Notification: Notification.extend({
      styles: { description: { color: 'var(--mantine-color-text)' } },
    }),
  },
})

/** Darker than the button. Mantine's hover color is lighter, too light for white text. */
const PRIMARY_HOVER = '#085d6c'

/** Mantine's default text colors miss the contrast of WCAG AA, and its tinted backgrounds are too strong. */
export const readableColors: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    '--mantine-color-cyan-filled-hover': PRIMARY_HOVER,
    '--mantine-color-dimmed': 'var(--mantine-color-gray-7)',
    '--mantine-color-placeholder': 'var(--mantine-color-gray-7)',
    '--mantine-color-error': 'var(--mantine-color-red-9)',
    '--mantine-color-cyan-light': 'var(--mantine-color-cyan-0)',
    '--mantine-color-cyan-light-hover': 'var(--mantine-color-cyan-1)',
    '--mantine-color-red-light': 'var(--mantine-color-red-0)',
    '--mantine-color-red-light-hover': 'var(--mantine-color-red-1)',
    '--mantine-color-green-light': 'var(--mantine-color-green-0)',
    '--mantine-color-green-light-color': '#1f6b2e',
    '--mantine-color-orange-light': 'var(--mantine-color-orange-0)',
    '--mantine-color-orange-light-color': '#a33b07',
  },
  dark: {
    '--mantine-color-cyan-filled-hover': PRIMARY_HOVER,
    '--mantine-color-dimmed': 'var(--mantine-color-dark-1)',
    '--mantine-color-placeholder': 'var(--mantine-color-dark-1)',
    '--mantine-color-error': 'var(--mantine-color-red-4)',
    '--mantine-color-green-light-color': 'var(--mantine-color-green-4)',
    '--mantine-color-red-light-color': 'var(--mantine-color-red-4)',
    '--mantine-color-orange-light-color': 'var(--mantine-color-orange-4)',
    '--mantine-color-orange-light':
      'color-mix(in srgb, var(--mantine-color-orange-9) 20%, transparent)',
    '--mantine-color-red-light': 'color-mix(in srgb, var(--mantine-color-red-9) 20%, transparent)',
  },
})

/** The nonce that the Content Security Policy of this page requires for styles. */
export function styleNonce(): string {
  return document.querySelector<HTMLMetaElement>('meta[name=style-nonce]')?.content ?? ''
}
