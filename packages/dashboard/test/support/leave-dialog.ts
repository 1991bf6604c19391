import type { Page } from 'playwright-core'

/** Presses Escape in the open dialog, once it has the focus: it ignores keys before. */
export async function leaveDialog(page: Page): Promise<void> {
  await page.getByRole('dialog').locator(':focus').waitFor()
  await page.keyboard.press('Escape')
}
