import { until } from '@stowage/testing/machine/until'
import type { Page } from 'playwright-core'

/**
 * Drops files and folders on the page, as the desktop would: the browser opens them itself. `shown` is
 * what the page says meanwhile.
 */
export async function drop(
  page: Page,
  paths: string[],
  shown = 'Drop files or folders',
): Promise<void> {
  const session = await page.context().newCDPSession(page)
  const data = { items: [], files: paths, dragOperationsMask: 1 }
  const send = (type: 'dragEnter' | 'dragOver' | 'drop') =>
    session.send('Input.dispatchDragEvent', { type, x: 300, y: 300, data })
  await page.evaluate(`
    window.isDropped = false
    addEventListener('drop', () => { window.isDropped = true }, { once: true })`)
  // People move about until they see where to drop, and so does a busy browser's drop that got lost.
  await until('the page takes it', async () => {
    await send('dragEnter')
    await send('dragOver')
    if (!(await page.getByText(shown).isVisible())) return false
    await send('drop')
    return page.evaluate<boolean>('isDropped')
  })
  await session.detach()
}
