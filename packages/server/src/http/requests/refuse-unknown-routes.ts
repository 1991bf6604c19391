import type { FastifyInstance } from 'fastify'
import { ServiceError } from '../../errors.ts'

/**
 * Refuses an unknown path (404) or method (405) before the body is read. Only routes that are
 * added after it count as known.
 */
export function refuseUnknownRoutes(app: FastifyInstance): void {
  const methodsByPath = new Map<string, Set<string>>()
  app.addHook('onRoute', ({ url, method }) => {
    const methods = methodsByPath.get(url) ?? new Set()
    for (const one of [method].flat()) methods.add(one)
    methodsByPath.set(url, methods)
  })

  function allowedMethods(requestUrl: string): string[] {
    const path = requestUrl.split('?')[0]?.replace(/(?<=.)\/$/, '') ?? ''
    const exact = methodsByPath.get(path)
    if (exact !== undefined) return [...exact]
    const matching = [...methodsByPath].filter(([url]) => {
      const pattern = url.replaceAll('.', '\\.').replaceAll(/:\w+/g, '[^/]+')
      return new RegExp(`^${pattern}$`).test(path)
    })
    return matching.flatMap(([, methods]) => [...methods])
  }

  app.addHook('onRequest', (request, reply, done) => {
    if (!request.is404) return done()
    const allowed = allowedMethods(request.url)
    if (allowed.length === 0) {
      throw new ServiceError('not_found', 'This URL does not exist. See /docs for all calls.')
    }
    reply.header('Allow', allowed.join(', '))
    throw new ServiceError(
      'method_not_allowed',
      `This URL does not support ${request.method}. Use ${allowed.join(', ')}.`,
    )
  })
}
