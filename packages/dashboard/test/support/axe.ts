import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { until } from '@stowage/testing/machine/until'
import type { Page, ViewportSize } from 'playwright-core'

const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js')
const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']
/** The other rules do not depend on colors, so `assertAccessible` runs them in one color scheme only. */
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

/** A dialog and the list of options that is open in it. The page behind the dialog is examined separately. */
export const DIALOG = ':is([role=dialog], [role=listbox])'

/** Elements that only wide or only narrow windows show. All others have the same colors at every width. */
const FOR_SOME_WIDTHS = ':is([class*=mantine-visible-from], [class*=mantine-hidden-from])'

const SIZES: readonly [ViewportSize, ViewportSize] = [
  { width: 390, height: 844 },
  { width: 1280, height: 844 },
]
const SCHEMES = ['light', 'dark'] as const

/**
 * By default, each state is examined in one color scheme, because the colors are the same in many states. The scheme
 * is chosen at random, and a failure names it. `AXE=all` examines every state in both schemes, and at both widths if
 * the test calls `assertAccessibleAtAllWidths`.
 */
const isAll = process.env.AXE === 'all'

interface Examination {
  /** The state of the page, which is part of the error message. */
  state: string
  rules: string[]
  colorScheme: 'light' | 'dark'
  /** A CSS selector. */
  within: string
}

/**
 * Runs axe's rules for WCAG up to level AA and its best practices on the page as it is, in one color scheme.
 * `within` restricts them to a part of the page.
 */
export async function assertAccessible(page: Page, state: string, within = 'html'): Promise<void> {
  const [colorScheme, otherScheme] = inRandomOrder(SCHEMES)
  await examine(page, { state, rules: RULES, colorScheme, within })
  if (!isAll) return
  await examine(page, { state, rules: COLOR_RULES, colorScheme: otherScheme, within })
}

/**
 * Runs the same rules in a narrow and a wide window: in one window, chosen at random, on the whole page, and in the
 * other only on the elements that depend on the width. Also fails if the page is wider than the window.
 */
export async function assertAccessibleAtAllWidths(
  page: Page,
  state: string,
  within = 'html',
): Promise<void> {
  const responsive = `${within} ${FOR_SOME_WIDTHS}`
  const [wholeSize] = inRandomOrder(SIZES)
  // The wide window is the last, because tests continue in it.
  for (const size of SIZES) {
    const name = `${state} at ${size.width}`
    await page.setViewportSize(size)
    const isWhole = size === wholeSize || isAll
    for (const colorScheme of inRandomOrder(SCHEMES).slice(0, isAll ? 2 : 1)) {
      const part = isWhole ? within : responsive
      if (!isWhole && (await page.locator(responsive).count()) === 0) continue
      await examine(page, { state: name, rules: RULES, colorScheme, within: part })
    }
    await until(`${name} is not too wide`, async () => (await horizontalScroll(page)) <= 0)
  }
}

function inRandomOrder<Value>([first, second]: readonly [Value, Value]): [Value, Value] {
  return Math.random() < 0.5 ? [first, second] : [second, first]
}

async function examine(page: Page, examination: Examination): Promise<void> {
  const { state, rules, colorScheme, within } = examination
  // `evaluate` is not subject to the Content Security Policy of the page.
  if (await page.evaluate('typeof axe === "undefined"')) {
    await page.evaluate(await readFile(AXE, 'utf8'))
  }
  await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
  if ((await page.locator('html[data-mantine-color-scheme]').count()) > 0) {
    await page.locator(`html[data-mantine-color-scheme=${colorScheme}]`).waitFor()
  }
  // The page of a link that was clicked may still be loading.
  await page.locator('h1').first().waitFor({ state: 'attached' })
  await page.evaluate(FINISH_TRANSITIONS)
  const options = { runOnly: rules, resultTypes: ['violations'], preload: { assets: ['media'] } }
  const violations = await page.evaluate<Violation[]>(
    `axe.run(${JSON.stringify(within)}, ${JSON.stringify(options)})
      .then((found) => found.violations)`,
  )
  const findings = violations.map(({ id, help, nodes }) => ({
    id,
    help,
    nodes: nodes.map(({ html, failureSummary }) => `${html}: ${failureSummary}`),
  }))
  assert.deepEqual(findings, [], `${state}, ${colorScheme}`)
}

function horizontalScroll(page: Page): Promise<number> {
  return page.evaluate(
    'document.documentElement.scrollWidth - document.documentElement.clientWidth',
  )
}
