import { buildOpenApi, endpoints } from '@stowage/protocol'
import { listDegradations, listNotes, openReadiness } from '../../operations/service.ts'
import { type RouteGroup, route } from '../route.ts'

const RETRY_AFTER_SECONDS = '2'

export const serviceRoutes: RouteGroup = (app, options) => {
  const { context, baseUrl, version } = options
  const readReadiness = openReadiness(context)
  route(app, options, endpoints.health, async () => ({ status: 'ok' as const }))

  route(app, options, endpoints.readiness, async (_request, reply) => {
    const { database, storage } = await readReadiness()
    const isReady = database && storage
    if (!isReady) reply.code(503).header('Retry-After', RETRY_AFTER_SECONDS)
    const degraded = listDegradations(context.health)
    const notes = listNotes(context.health)
    return {
      status: isReady ? ('ready' as const) : ('unavailable' as const),
      checks: { database: statusWord(database), storage: statusWord(storage) },
      ...(degraded.length > 0 && { degraded }),
      ...(notes.length > 0 && { notes }),
    }
  })

  // Built once: the base URL does not change after the service listens.
  let document: Buffer | undefined
  route(app, options, endpoints.openApi, async (_request, reply) => {
    document ??= Buffer.from(JSON.stringify(buildOpenApi({ baseUrl: baseUrl(), version })))
    return reply.type('application/json; charset=utf-8').send(document)
  })
}

function statusWord(isAvailable: boolean): 'ok' | 'unavailable' {
  return isAvailable ? 'ok' : 'unavailable'
}
