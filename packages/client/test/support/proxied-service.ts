import type { IncomingMessage } from 'node:http'
import type { TestContext } from 'node:test'
import { isOnS3 } from '@stowage/testing/engines/test-engines'
import { freePort } from '@stowage/testing/machine/ports'
import { aDeployment, aService } from '@stowage/testing/service/service'
import { aServiceProcess } from '@stowage/testing/service/service-process'
import { aFaultProxy, type Fault, type FaultProxy } from './fault-proxy.ts'

export interface ProxiedService {
  /** The service itself. */
  baseUrl: string
  /** The proxy in front of the service. */
  api: FaultProxy
  /** The proxy in front of its storage. All URLs of parts lead to it. */
  storage: FaultProxy
}

export interface ProxiedOptions {
  settings: Record<string, string>
  /** On disk, runs the service as a process, for tests that measure the memory of the client. */
  ownProcess?: boolean
  api?: (request: IncomingMessage) => Fault
  /** Chooses the faults of requests of clients to the storage. Those of the service pass. */
  storage?: (request: IncomingMessage) => Fault
}

const pass = (): Fault => ({ kind: 'pass' })

/** A service and its storage, each behind a proxy. */
export async function aProxiedService(
  t: TestContext,
  options: ProxiedOptions,
): Promise<ProxiedService> {
  const { baseUrl, storage } = await (isOnS3 ? onS3(t, options) : onDisk(t, options))
  const api = await aFaultProxy(t, { target: () => baseUrl, fault: options.api ?? pass })
  return { baseUrl, api, storage }
}

async function onDisk(t: TestContext, options: ProxiedOptions) {
  const storagePort = await freePort()
  const storage = await aFaultProxy(t, {
    target: () => `http://127.0.0.1:${storagePort}`,
    fault: options.storage ?? pass,
  })
  const start = options.ownProcess ? aServiceProcess : aService
  const { baseUrl } = await start(t, {
    STOWAGE_STORAGE_PORT: String(storagePort),
    STOWAGE_STORAGE_URL: storage.url,
    ...options.settings,
  })
  return { baseUrl, storage }
}

async function onS3(t: TestContext, options: ProxiedOptions) {
  const deployment = await aDeployment(t)
  const decide = options.storage ?? pass
  const storage = await aFaultProxy(t, {
    target: () => deployment.settings.STOWAGE_S3_ENDPOINT ?? '',
    // The service signs with a header; clients use signed URLs.
    fault: (request) => (request.headers.authorization === undefined ? decide(request) : pass()),
  })
  const settings = { ...options.settings, STOWAGE_S3_ENDPOINT: storage.url }
  const { baseUrl } = await aService(t, settings, deployment)
  return { baseUrl, storage }
}
