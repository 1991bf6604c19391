import { CHROMIUM, FLAGS, missingForBrowser } from '@stowage/testing/browser/browser'
import { type Browser, chromium, type Page } from 'playwright-core'
import { CATALOG_SETTINGS, copyFilled } from '../catalog/filled.ts'
import { LARGE, SMALL } from '../catalog/lists.ts'
import { COMMON, RARE, RARE_COUNT } from '../catalog/records.ts'
import { timed } from '../measure.ts'
import { startStowage } from '../processes/servers.ts'
import type { Contender, Workload, WorkloadContext } from '../workload.ts'

export const dashboard: Workload = {
  title: 'The dashboard in Chromium',
  metrics: {
    usable: { title: 'Cold load until rows and search are usable', unit: 'ms', better: 'lower' },
    key: { title: 'Longest time from a key press to the next paint', unit: 'ms', better: 'lower' },
    rare: { title: `Last key press to ${RARE_COUNT} matches`, unit: 'ms', better: 'lower' },
    all: {
      title: 'Last key press to the results of a search that matches all assets',
      unit: 'ms',
      better: 'lower',
    },
  },
  targets: [
    { metric: 'usable', limit: { below: 1000 } },
    { metric: 'key', limit: { below: 100 } },
    { metric: 'usable', limit: { below: 1.5 }, relativeTo: { contender: SMALL } },
    { metric: 'rare', limit: { below: 1.5 }, relativeTo: { contender: SMALL } },
    { metric: 'all', limit: { below: 1.5 }, relativeTo: { contender: SMALL } },
  ],
  rounds: 5,
  async open(context) {
    const missing = await missingForBrowser(CHROMIUM)
    if (missing !== undefined) throw new Error(missing)
    const browser = await chromium.launch({ executablePath: CHROMIUM, args: FLAGS })
    context.defer(() => browser.close())
    return [
      await startDashboard(context, { browser, name: LARGE, count: 1_000_000 }),
      await startDashboard(context, { browser, name: SMALL, count: 10_000 }),
    ]
  },
}

async function startDashboard(
  context: WorkloadContext,
  { browser, name, count }: { browser: Browser; name: string; count: number },
): Promise<Contender> {
  const folder = await context.folder()
  await copyFilled(folder, count)
  const { url } = await startStowage(context, { ...CATALOG_SETTINGS, STOWAGE_DATA: folder })
  return {
    name,
    async run() {
      // A new context has an empty cache.
      const browserContext = await browser.newContext()
      try {
        return await visit(await browserContext.newPage(), url, count)
      } finally {
        await browserContext.close()
      }
    },
  }
}

async function visit(page: Page, url: string, count: number) {
  const { time: usable } = await timed(async () => {
    await page.goto(url)
    await page.getByText(totalText(count)).waitFor()
    await page.getByRole('searchbox').focus()
  })
  await page.evaluate(WATCH_KEYS)
  const rare = await search(page, RARE, RARE_COUNT)
  const all = await search(page, COMMON, count)
  const key = await page.evaluate<number>('longestKey')
  return { usable, key, rare, all }
}

/** Types like a person: one key every 80 ms. */
async function search(page: Page, text: string, total: number): Promise<number> {
  await page.keyboard.press('Control+A')
  await page.keyboard.type(text, { delay: 80 })
  const { time } = await timed(() => page.getByText(totalText(total)).waitFor())
  return time
}

/** The text below the table. */
function totalText(total: number): RegExp {
  return new RegExp(`^1 to \\d+ of ${total.toLocaleString('en')}$`)
}

/** The browser reports the time from each event to the next paint, in steps of 8 ms. */
const WATCH_KEYS = `
  window.longestKey = 0
  new PerformanceObserver((list) => {
    for (const { name, duration } of list.getEntries()) {
      if (/^key|input/.test(name)) longestKey = Math.max(longestKey, duration)
    }
  }).observe({ type: 'event', durationThreshold: 16 })`
