import type { FastifyInstance } from 'fastify'
import { ServiceError } from '../errors.ts'

/**
 * Refuses an address that there is not (404), or not with this method (405), before the body is
 * read. Knows the routes that are added after it.
 */
export function refuseUnknownRoutes(app: FastifyInstance): void {
  const methodsByPath = new Map<string, Set<string>>()
  app.addHook('onRoute', ({ url, method }) => {
    const methods = methodsByPath.get(url) ?? new Set()
    for (const one of [method].flat()) methods.add(one)
    methodsByPath.set(url, methods)
  })

  function allowedMethods(address: string): string[] {
    const path = address.split('?')[0]?.replace(/(?<=.)\/$/, '') ?? ''
    const exact = methodsByPath.get(path)
    if (exact !== undefined) return [...exact]
    const fitting = [...methodsByPath].filter(([url]) => {
      const pattern = url.replaceAll('.', '\\.').replaceAll(/:\w+/g, '[^/]+')
      return new RegExp(`^${pattern}$`).test(path)
    })
    return fitting.flatMap(([, methods]) => [...methods])
  }

  app.addHook('onRequest', (request, reply, done) => {
    if (!request.is404) return done()
    const allowed = allowedMethods(request.url)
    if (allowed.length === 0) {
      throw new ServiceError('not_found', 'Nothing is at this address. /docs lists what there is.')
    }
    reply.header('Allow', allowed.join(', '))
    throw new ServiceError(
      'method_not_allowed',
      `This address takes ${allowed.join(', ')}, not ${request.method}.`,
    )
  })
}
