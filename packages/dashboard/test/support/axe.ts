import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'

const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js')
const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']

/** Colours that change slowly have changed. */
const SETTLED = `new Promise(requestAnimationFrame).then(() => Promise.all(
  document.getAnimations().filter((it) => it instanceof CSSTransition).map((it) => it.finished),
).catch(() => {}))`

interface Violation {
  id: string
  help: string
  nodes: { html: string; failureSummary: string }[]
}

/** Everything that axe knows of WCAG up to AA, on the page as it is, in light and dark colours. */
export async function assertAccessible(page: Page, what: string): Promise<void> {
  // Around the page's policy, as a person's browser tool would be.
  await page.evaluate(await readFile(AXE, 'utf8'))
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    await page.locator(`html[data-mantine-color-scheme=${colorScheme}]`).waitFor()
    await page.evaluate(SETTLED)
    const violations = await page.evaluate<Violation[]>(
      `axe.run(document, { runOnly: ${JSON.stringify(RULES)} }).then((found) => found.violations)`,
    )
    const told = violations.map(({ id, help, nodes }) => ({
      id,
      help,
      nodes: nodes.map(({ html, failureSummary }) => `${html}: ${failureSummary}`),
    }))
    assert.deepEqual(told, [], `${what}, ${colorScheme}`)
  }
}
