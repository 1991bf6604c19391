/* The colors of the buttons on a download page, by the rules of the service (packages/server/src/text/readable-on.ts). */

/** The color of the buttons, unless there is another one. */
export const DEFAULT_COLOR = '#0b7285'
/** WCAG requires it of controls: they must be visible against the page. */
export const MIN_CONTROL_CONTRAST = 3

const LIGHT_PAGE = '#f6f7f8'

/** The text of a button: black or white, whichever has more contrast, and that contrast. */
export function textOn(color: string): { color: string; contrast: number } {
  const [black, white] = [contrastOf(color, '#000000'), contrastOf(color, '#ffffff')]
  return black >= white
    ? { color: '#000000', contrast: black }
    : { color: '#ffffff', contrast: white }
}

export const contrastToPage = (color: string) => contrastOf(color, LIGHT_PAGE)

/** https://www.w3.org/TR/WCAG22/#dfn-contrast-ratio */
function contrastOf(one: string, other: string): number {
  const [dark = 0, light = 0] = [luminanceOf(one), luminanceOf(other)].toSorted((a, b) => a - b)
  return (light + 0.05) / (dark + 0.05)
}

function luminanceOf(color: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const value = Number.parseInt(color.slice(at, at + 2), 16) / 255
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}
