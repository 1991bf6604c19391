import type { Page } from 'playwright-core'
import { until } from '../../../server/test/support/until.ts'

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
  // People move about until they see where to drop.
  await until('the page takes it', async () => {
    await send('dragEnter')
    await send('dragOver')
    return page.getByText(shown).isVisible()
  })
  await send('drop')
  await session.detach()
}
