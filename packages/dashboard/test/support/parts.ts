import type { ServiceProcess } from '@stowage/testing/service/service-process'
import type { BrowserContext, Route } from 'playwright-core'

export interface Parts {
  /** How many the browser began to send. */
  begun(): number
  /** How many the storage took. */
  taken(): number
  /** Lets all go on that wait, and those to come. */
  release(): void
}

/** Watches the parts on their way to the storage. After the first `free` ones they wait. */
export async function watchParts(
  context: BrowserContext,
  service: ServiceProcess,
  free = Number.POSITIVE_INFINITY,
): Promise<Parts> {
  let begun = 0
  let taken = 0
  let mayPass = free
  const waiting: Route[] = []
  // A page that gave up on its part has no use for it any more.
  const goOn = (route: Route) => route.continue().catch(() => {})
  context.on('requestfinished', async (request) => {
    if (request.method() !== 'PUT' || !request.url().startsWith(service.storageUrl)) return
    const response = await request.response()
    if (response?.ok()) taken += 1
  })
  await context.route(`${service.storageUrl}/**`, async (route) => {
    if (route.request().method() !== 'PUT') return goOn(route)
    begun += 1
    if (begun > mayPass) waiting.push(route)
    else await goOn(route)
  })
  return {
    begun: () => begun,
    taken: () => taken,
    release() {
      mayPass = Number.POSITIVE_INFINITY
      for (const route of waiting.splice(0)) void goOn(route)
    },
  }
}
