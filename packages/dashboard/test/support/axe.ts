import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'

const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js')
const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']
/** All others see no colours: what they find, they find in any. */
const RULES_OF_COLOURS = ['color-contrast', 'link-in-text-block']

/** Colours that change slowly have changed, without anybody waiting for them. */
const SETTLED = `new Promise(requestAnimationFrame).then(() => {
  for (const it of document.getAnimations()) if (it instanceof CSSTransition) it.finish()
})`

interface Violation {
  id: string
  help: string
  nodes: { html: string; failureSummary: string }[]
}

/** Everything that axe knows of WCAG up to AA, on the page as it is, in light and dark colours. */
export async function assertAccessible(page: Page, what: string): Promise<void> {
  // Around the page's policy, as a person's browser tool would be.
  if (await page.evaluate('typeof axe === "undefined"')) {
    await page.evaluate(await readFile(AXE, 'utf8'))
  }
  for (const [colorScheme, runOnly] of [
    ['light', RULES],
    ['dark', RULES_OF_COLOURS],
  ] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    if ((await page.locator('html[data-mantine-color-scheme]').count()) > 0) {
      await page.locator(`html[data-mantine-color-scheme=${colorScheme}]`).waitFor()
    }
    await page.evaluate(SETTLED)
    const violations = await page.evaluate<Violation[]>(
      `axe.run(document, ${JSON.stringify({ runOnly, resultTypes: ['violations'] })})
        .then((found) => found.violations)`,
    )
    const told = violations.map(({ id, help, nodes }) => ({
      id,
      help,
      nodes: nodes.map(({ html, failureSummary }) => `${html}: ${failureSummary}`),
    }))
    assert.deepEqual(told, [], `${what}, ${colorScheme}`)
  }
}
