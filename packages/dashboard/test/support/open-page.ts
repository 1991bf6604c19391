import type { Page } from 'playwright-core'

/** Opens another page of the app as a link does, which is much faster than loading the app again. */
export async function openPage(page: Page, path: string): Promise<void> {
  await page.evaluate(`history.pushState(null, '', ${JSON.stringify(path)})`)
}
