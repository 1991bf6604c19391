import type { Page } from 'playwright-core'

/** Enters the key in the form. The pattern excludes “API keys” on the settings page, which may still be open. */
export async function signIn(
  page: Page,
  key: string,
  { remember = false }: { remember?: boolean } = {},
): Promise<void> {
  await page.getByLabel(/^API key(?!s)/).fill(key)
  if (remember) await page.getByLabel('Stay signed in for 30 days').check()
  await page.keyboard.press('Enter')
}
