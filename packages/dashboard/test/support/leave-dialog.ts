import type { Page } from 'playwright-core'

/** Presses Escape in the open dialog, once it has the focus: before that, it ignores keys. */
export async function leaveDialog(page: Page): Promise<void> {
  await page.getByRole('dialog').locator(':focus').waitFor()
  await page.keyboard.press('Escape')
}
