import type { Page } from 'playwright-core'

/** Drops files and folders on the page, as the desktop would: the browser opens them itself. */
export async function drop(page: Page, paths: string[]): Promise<void> {
  const session = await page.context().newCDPSession(page)
  const data = { items: [], files: paths, dragOperationsMask: 1 }
  for (const type of ['dragEnter', 'dragOver', 'drop'] as const) {
    await session.send('Input.dispatchDragEvent', { type, x: 300, y: 300, data })
    if (type === 'dragOver') await page.getByText('Drop files or folders').waitFor()
  }
  await session.detach()
}
