import { until } from '@stowage/testing/machine/until'
import type { Page } from 'playwright-core'

/**
 * Drops files and folders on the page as the desktop does: the browser itself opens them. `overlay` is
 * the text that the page shows meanwhile.
 */
export async function drop(
  page: Page,
  paths: string[],
  overlay = 'Drop files or folders',
): Promise<void> {
  const session = await page.context().newCDPSession(page)
  const data = { items: [], files: paths, dragOperationsMask: 1 }
  const send = (type: 'dragEnter' | 'dragOver' | 'drop') =>
    session.send('Input.dispatchDragEvent', { type, x: 300, y: 300, data })
  await page.evaluate(`
    window.isDropped = false
    addEventListener('drop', () => { window.isDropped = true }, { once: true })`)
  // A busy browser may lose events, so they are repeated until the page reacts.
  await until('the page receives the drop', async () => {
    await send('dragEnter')
    await send('dragOver')
    if (!(await page.getByText(overlay).isVisible())) return false
    await send('drop')
    return page.evaluate<boolean>('isDropped')
  })
  await session.detach()
}
