import { flushCompileCache } from 'node:module'
import manifest from '../package.json' with { type: 'json' }
import { openService, type Service } from './compose.ts'
import { ConfigError, readConfig } from './config.ts'
import { openLog } from './log.ts'

/** Runs the service as the environment says, until a signal ends it. Returns the exit code. */
export async function serve(): Promise<number> {
  let finish: (code: number) => void = () => {}
  const finished = new Promise<number>((resolve) => {
    finish = resolve
  })
  let service: Service
  try {
    const config = readConfig(process.env)
    const logger = await openLog(config.logLevel)
    const { version } = manifest
    service = await openService({ config, logger, version, onFatal: () => finish(1) })
    // Now, as the end may come without warning.
    flushCompileCache()
    process.stdout.write(greeting(service, version, config.dataDirectory))
  } catch (error) {
    const isExpected = error instanceof ConfigError
    process.stderr.write(`stowage: ${isExpected ? error.message : describe(error)}\n`)
    return isExpected ? 2 : 1
  }
  onSignals(() => finish(0))
  const code = await finished
  await service.close()
  return code
}

/** The service on free ports and a folder that is thrown away: for compiling it ahead. */
export async function openForWarmUp(folder: string): Promise<Service> {
  const settings = { STOWAGE_DATA: folder, STOWAGE_PORT: '0', STOWAGE_STORAGE_PORT: '0' }
  const logger = await openLog('silent')
  const config = readConfig(settings)
  return openService({ config, logger, version: manifest.version, onFatal: () => {} })
}

/** The first signal ends politely; the second at once. */
function onSignals(end: () => void): void {
  let isEnding = false
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => {
      if (isEnding) process.exit(130)
      isEnding = true
      process.stderr.write('stowage: finishing what runs; once more to stop at once\n')
      end()
    })
  }
}

function describe(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

function greeting(service: Service, version: string, data: string): string {
  return `Stowage ${version} is ready.

  Service   ${service.baseUrl}
  Storage   ${service.storageUrl}
  Docs      ${service.baseUrl}/docs
  Data      ${data}

Only this machine can reach it. Try:

  curl ${service.baseUrl}/api/v1/assets/signed \\
    -H 'Content-Type: application/json' \\
    -d '{"name": "hello.txt", "size": 5, "mime": "text/plain"}'

`
}
