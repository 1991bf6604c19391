import type { Page } from 'playwright-core'

/** As people do it. Not “API keys”: until the service has refused, the page of settings is there. */
export async function signIn(
  page: Page,
  key: string,
  { remember = false }: { remember?: boolean } = {},
): Promise<void> {
  await page.getByLabel(/^API key(?!s)/).fill(key)
  if (remember) await page.getByLabel('Remember it on this computer').check()
  await page.keyboard.press('Enter')
}
