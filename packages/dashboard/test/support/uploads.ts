import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { until } from '@stowage/testing/machine/until'
import type { TestService } from '@stowage/testing/service/service'
import type { BrowserContext, Page, Route } from 'playwright-core'
import { aFolder } from './dashboard.ts'

/**
 * Drops files and folders on the page as the desktop does: the browser itself opens them. `overlay` is
 * the text that the page shows meanwhile, and `at` the only position that the pointer has.
 */
export async function drop(
  page: Page,
  paths: string[],
  overlay = 'Drop files or folders',
  at: { x: number; y: number } = { x: 300, y: 300 },
): Promise<void> {
  const session = await page.context().newCDPSession(page)
  const data = { items: [], files: paths, dragOperationsMask: 1 }
  const send = (type: 'dragEnter' | 'dragOver' | 'drop') =>
    session.send('Input.dispatchDragEvent', { type, ...at, data })
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

/** The path of a new file. Playwright would send the content of a buffer to the page, which is slow for large ones. */
export async function aFile(t: TestContext, name: string, size: number): Promise<string> {
  const path = join(await aFolder(t), name)
  await writeFile(path, Buffer.alloc(size, name))
  return path
}

export interface Parts {
  /** The number of parts that the browser started to send. */
  started(): number
  /** The number of parts that the storage accepted. */
  accepted(): number
  /** Forwards all parts: those that were held back, and all later ones. */
  release(): void
}

/** Counts the parts that the browser sends to the storage. Forwards the first `free` parts, and holds back the others. */
export async function watchParts(
  context: BrowserContext,
  service: TestService,
  free = Number.POSITIVE_INFINITY,
): Promise<Parts> {
  let started = 0
  let accepted = 0
  let limit = free
  const held: Route[] = []
  // The page may have aborted the request meanwhile.
  const forward = (route: Route) => route.continue().catch(() => {})
  context.on('requestfinished', async (request) => {
    if (request.method() !== 'PUT' || !request.url().startsWith(service.storageUrl)) return
    const response = await request.response()
    if (response?.ok()) accepted += 1
  })
  await context.route(`${service.storageUrl}/**`, async (route) => {
    if (route.request().method() !== 'PUT') return forward(route)
    started += 1
    if (started > limit) held.push(route)
    else await forward(route)
  })
  return {
    started: () => started,
    accepted: () => accepted,
    release() {
      limit = Number.POSITIVE_INFINITY
      for (const route of held.splice(0)) void forward(route)
    },
  }
}
