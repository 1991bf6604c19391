import type { TestContext } from 'node:test'
import { openService, type Service } from '@stowage/server/src/compose'
import { type Config, type Environment, readConfig } from '@stowage/server/src/config/config'
import { pino } from 'pino'
import type { StorageBackdoor } from '../engines/storage-backdoor.ts'
import { aFolder, cleanUp } from '../machine/clean-up.ts'
import { aDeployment, type Deployment } from './deployment.ts'
import { expectInterface } from './expect-interface.ts'

export { aFolder }

export interface TestService extends Service {
  folder: string
  backdoor: StorageBackdoor
  /** Calls the API. A body is sent as JSON. */
  call(
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<JsonResponse>
}

export interface JsonResponse {
  status: number
  headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: tests read responses of every shape
  body: any
}

export interface TestServiceOptions {
  dashboard?: URL
  /**
   * Whether the disk storage runs in its own thread, as in production. By default it does not, because
   * starting a thread takes longer than most tests.
   */
  ownThread?: boolean
}

/**
 * Starts the service in this process, on free ports, with a new deployment unless one is given. It does not
 * compute checksums, unless the settings enable them: when they appear in responses depends on timing.
 */
export async function aService(
  t: TestContext,
  settings: Environment = {},
  deployment?: Deployment,
  { dashboard, ownThread = false }: TestServiceOptions = {},
): Promise<TestService> {
  // In memory, because the process does not crash, and syncing to the disk takes a tenth of the CPU time.
  const {
    folder,
    backdoor,
    settings: engines,
  } = deployment ?? (await aDeployment(t, { isInMemory: true }))
  const service = await openService({
    config: configOf({ STOWAGE_CHECKSUMS: 'off', ...engines, ...settings }, ownThread),
    logger: pino({ level: 'silent' }),
    version: '0.0.0-test',
    ...(dashboard && { dashboard }),
    onFatal(message) {
      throw new Error(message)
    },
  })
  cleanUp(t, () => service.close())
  return {
    ...service,
    folder,
    backdoor,
    call: (method, path, body, headers) =>
      callJson(service.baseUrl + path, { method, body, headers }),
  }
}

/** Uses free ports, and on S3 allows chunk sizes below the minimum that the settings accept. */
export function configOf(
  { STOWAGE_CHUNK_SIZE, ...settings }: Environment,
  ownThread = false,
): Config {
  const isDisk = settings.STOWAGE_STORAGE === undefined
  const ports = { STOWAGE_PORT: '0', ...(isDisk && { STOWAGE_STORAGE_PORT: '0' }) }
  const config = readConfig({ ...ports, ...settings })
  const { chunkSize } = readConfig({ STOWAGE_CHUNK_SIZE })
  const { storage } = config
  return {
    ...config,
    chunkSize,
    storage: storage.kind === 'disk' ? { ...storage, ownThread } : storage,
  }
}

export async function callJson(
  url: string,
  {
    method,
    body,
    headers,
  }: { method: string; body?: unknown; headers?: Record<string, string> | undefined },
): Promise<JsonResponse> {
  const response = await fetch(url, {
    method,
    redirect: 'manual',
    headers: { ...(body !== undefined && { 'Content-Type': 'application/json' }), ...headers },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  })
  const text = await response.text()
  const isJson = response.headers.get('content-type')?.startsWith('application/json')
  const result = {
    status: response.status,
    headers: response.headers,
    body: isJson ? JSON.parse(text) : text,
  }
  expectInterface({ method, url }, result)
  return result
}
