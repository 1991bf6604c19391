import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readableOn } from '../../../text/readable-on.ts'
import { styleOf } from './style.ts'

test('the text on a button has a contrast of at least 4.5 with every color', () => {
  const steps = Array.from({ length: 18 }, (_, index) => index * 15)
  for (const red of steps) {
    for (const green of steps) {
      for (const blue of steps) {
        const channels = [red, green, blue]
        const color = `#${channels.map((one) => one.toString(16).padStart(2, '0')).join('')}`
        const luminance = relativeLuminance(channels)
        const contrast =
          readableOn(color) === '#000' ? luminance / 0.05 + 1 : 1.05 / (luminance + 0.05)
        assert.ok(contrast >= 4.5, `${color}: ${contrast}`)
      }
    }
  }
  assert.match(styleOf('#FFEE00'), /--accent:#FFEE00;--on-accent:#000/)
  assert.match(styleOf(null), /--on-accent:#fff/)
})

/** https://www.w3.org/TR/WCAG21/#dfn-relative-luminance */
function relativeLuminance(channels: number[]): number {
  const weights = [0.2126, 0.7152, 0.0722]
  return channels.reduce((sum, channel, index) => {
    const part = channel / 255
    const linear = part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
    return sum + (weights[index] ?? 0) * linear
  }, 0)
}
