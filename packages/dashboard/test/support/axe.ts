import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'

const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js')
const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']
/** The other rules do not depend on colors, so they run in one color scheme only. */
const COLOR_RULES = ['color-contrast', 'link-in-text-block']

/** Ends all transitions, so that axe sees the final colors. */
const FINISH_TRANSITIONS = `new Promise(requestAnimationFrame).then(() => {
  for (const it of document.getAnimations()) if (it instanceof CSSTransition) it.finish()
})`

interface Violation {
  id: string
  help: string
  nodes: { html: string; failureSummary: string }[]
}

/** Runs all rules of axe for WCAG up to level AA on the page as it is, in the light and the dark color scheme. */
export async function assertAccessible(page: Page, what: string): Promise<void> {
  // `evaluate` is not subject to the Content Security Policy of the page.
  if (await page.evaluate('typeof axe === "undefined"')) {
    await page.evaluate(await readFile(AXE, 'utf8'))
  }
  for (const [colorScheme, runOnly] of [
    ['light', RULES],
    ['dark', COLOR_RULES],
  ] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    if ((await page.locator('html[data-mantine-color-scheme]').count()) > 0) {
      await page.locator(`html[data-mantine-color-scheme=${colorScheme}]`).waitFor()
    }
    await page.evaluate(FINISH_TRANSITIONS)
    const violations = await page.evaluate<Violation[]>(
      `axe.run(document, ${JSON.stringify({ runOnly, resultTypes: ['violations'] })})
        .then((found) => found.violations)`,
    )
    const findings = violations.map(({ id, help, nodes }) => ({
      id,
      help,
      nodes: nodes.map(({ html, failureSummary }) => `${html}: ${failureSummary}`),
    }))
    assert.deepEqual(findings, [], `${what}, ${colorScheme}`)
  }
}
