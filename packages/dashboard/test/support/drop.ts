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
    addEventListener('dragenter', ({ target }) => { window.dragTarget = target })
    addEventListener('dragover', ({ target }) => { window.dragTarget = target })
    addEventListener('drop', () => { window.dragEnd = 'drop' })
    addEventListener('dragleave', ({ relatedTarget }) => {
      if (relatedTarget === null) window.dragEnd = 'dragleave'
    })`)
  await until('the page receives the drop', async () => {
    await send('dragEnter')
    await send('dragOver')
    if (!(await page.getByText(overlay).isVisible())) return false
    await page.evaluate('window.dragEnd = undefined')
    await send('drop')
    // The page receives the event later. If it were sent again before, the page could receive it twice.
    let end: string | undefined
    await until('the drag ends', async () => {
      end = await page.evaluate<string | undefined>(
        `window.dragEnd ?? (window.dragTarget.isConnected ? undefined : 'removed')`,
      )
      return end !== undefined
    })
    // A page that was too busy to accept `dragover` gets `dragleave` instead of `drop`. If the page
    // has removed the element under the pointer since then, it gets neither.
    return end === 'drop'
  })
  await session.detach()
}
