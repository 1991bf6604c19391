import type { TestService } from '@stowage/testing/service/service'
import { pino } from 'pino'
import { buildApp } from '../../src/http/app.ts'

/** Every method and path that the app itself routes, as `GET /healthz`, documented or not. */
export async function routesOf({ context, baseUrl }: TestService): Promise<string[]> {
  const app = buildApp({
    context,
    logger: pino({ level: 'silent' }),
    baseUrl: () => baseUrl,
    version: '0.0.0-test',
    dashboard: undefined,
    trustProxy: undefined,
  })
  await app.ready()
  const tree = app.printRoutes({ commonPrefix: false })
  await app.close()
  const steps: string[] = []
  return tree.split('\n').flatMap((line) => {
    // Each level is indented by four columns, followed by the next part of the path.
    const [, indent, step, methods] = /^([│├└─ ]+)(\S+)(?: \((.+)\))?$/.exec(line) ?? []
    if (indent === undefined || step === undefined) return []
    steps.splice(indent.length / 4 - 1, Number.POSITIVE_INFINITY, step)
    const path = steps.join('')
    return methods?.split(', ').map((method) => `${method} ${path}`) ?? []
  })
}
