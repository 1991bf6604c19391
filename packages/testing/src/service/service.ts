import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { ENDPOINTS } from '@stowage/protocol'
import { type Engines, openService, type Service } from '@stowage/server/src/compose'
import { type Config, type Environment, readConfig } from '@stowage/server/src/config/config'
import { pino } from 'pino'
import type { TSchema } from 'typebox'
import { Compile, type Validator } from 'typebox/schema'
import { type StorageBackdoor, testEngines } from '../engines/test-engines.ts'
import { aFolder, aFolderInMemory, cleanUp } from '../machine/clean-up.ts'

export { aFolder }

export interface TestService extends Service {
  folder: string
  backdoor: StorageBackdoor
  /** The engines as they were opened, without the methods that `wrap` replaces. */
  engines: Engines
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
  /** Replaces methods of an engine before the service uses it, for example to make a call fail. */
  wrap?: (engines: Engines) => Partial<Engines>
}

/**
 * Starts the service in this process, on free ports, with a new deployment unless one is given. It does not
 * compute checksums, unless the settings enable them: when they appear in responses depends on timing.
 */
export async function aService(
  t: TestContext,
  settings: Environment = {},
  deployment?: Deployment,
  { dashboard, ownThread = false, wrap }: TestServiceOptions = {},
): Promise<TestService> {
  // In memory, because the process does not crash, and syncing to the disk takes a tenth of the CPU time.
  const {
    folder,
    backdoor,
    settings: ofEngines,
  } = deployment ?? (await aDeployment(t, { isInMemory: true }))
  let engines: Engines | undefined
  const service = await openService({
    config: configOf({ STOWAGE_CHECKSUMS: 'off', ...ofEngines, ...settings }, ownThread),
    logger: pino({ level: 'silent' }),
    version: '0.0.0-test',
    ...(dashboard && { dashboard }),
    wrapEngines(opened) {
      engines = opened
      return { ...opened, ...wrap?.(opened) }
    },
    onFatal(message) {
      throw new Error(message)
    },
  })
  cleanUp(t, () => service.close())
  return {
    ...service,
    folder,
    backdoor,
    engines: engines ?? service.context,
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
  if (!otherVersions.has(new URL(url).origin)) expectInterface({ method, url }, result)
  return result
}

/** The origins of instances of other versions, for the time of a test. */
const otherVersions = new Set<string>()

/** Responses of this instance are not compared with the interface of this version. */
export function acceptOtherVersion(t: TestContext, baseUrl: string): void {
  const { origin } = new URL(baseUrl)
  otherVersions.add(origin)
  cleanUp(t, () => {
    otherVersions.delete(origin)
  })
}

/** Starts the service on SQLite and disk, regardless of the engines that the suite runs on. */
export async function anEmbeddedService(
  t: TestContext,
  settings: Environment & { STOWAGE_DATA: string },
): Promise<Service> {
  const defaults = { STOWAGE_PORT: '0', STOWAGE_STORAGE_PORT: '0', STOWAGE_CHECKSUMS: 'off' }
  const service = await openService({
    config: readConfig({ ...defaults, ...settings }),
    logger: pino({ level: 'silent' }),
    version: '0.0.0-test',
    onFatal(message) {
      throw new Error(message)
    },
  })
  cleanUp(t, () => service.close())
  return service
}

/** The data of a service. A service that is started with these settings uses the same data. */
export interface Deployment {
  folder: string
  settings: Environment
  backdoor: StorageBackdoor
}

/**
 * An empty folder, database and storage, on the engines that the suite runs on. With `isReliable`, the test
 * cannot make S3 unavailable, and large transfers are faster. With `isInMemory`, the data is in memory
 * where that is possible.
 */
export async function aDeployment(
  t: TestContext,
  { isReliable = false, isInMemory = false } = {},
): Promise<Deployment> {
  const folder = await (isInMemory ? aFolderInMemory(t) : aFolder(t))
  const { settings, backdoor } = await testEngines(t, folder, { isReliable })
  return { folder, settings: { STOWAGE_DATA: folder, ...settings }, backdoor }
}

const SUCCESSES = ENDPOINTS.flatMap(({ methods, path, success: { status, schema } }) => {
  if (schema === undefined) return []
  const pattern = path.replaceAll('.', '\\.').replaceAll(/:\w+/g, '[^/]+')
  const pathPattern = new RegExp(`^${pattern}/?$`)
  // Compiled at the first use, because a process uses few schemas. `typebox/schema` loads faster than all of TypeBox.
  let validator: Validator | undefined
  const errors = (body: unknown) => {
    validator ??= Compile(closed(schema))
    return validator.Check(body) ? [] : validator.Errors(body)[1]
  }
  return [{ methods, pathPattern, status, errors }]
})

/** Fails unless a successful API response matches its schema and has no other fields, and a 201 has a `Location`. */
function expectInterface(
  request: { method: string; url: string },
  response: CheckedResponse,
): void {
  const { pathname } = new URL(request.url)
  const success = SUCCESSES.find(
    ({ methods, pathPattern, status }) =>
      methods.some((method) => method === request.method) &&
      pathPattern.test(pathname) &&
      status === response.status,
  )
  if (success === undefined) return
  if (response.status === 201) assert.ok(response.headers.get('location'), `${pathname}: Location`)
  assert.deepEqual(
    success.errors(response.body),
    [],
    `the response to ${request.method} ${pathname}`,
  )
}

interface CheckedResponse {
  status: number
  headers: Headers
  body: unknown
}

/** The same schema, which allows no unknown fields at any depth. */
function closed(schema: TSchema): TSchema {
  return JSON.parse(JSON.stringify(schema), (_name, value) =>
    value?.type === 'object' && value.properties !== undefined
      ? { additionalProperties: false, ...value }
      : value,
  )
}
