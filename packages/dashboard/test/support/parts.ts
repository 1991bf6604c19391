import type { TestService } from '@stowage/testing/service/service'
import type { BrowserContext, Route } from 'playwright-core'

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
