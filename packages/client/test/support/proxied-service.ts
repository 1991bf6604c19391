import type { IncomingMessage } from 'node:http'
import type { TestContext } from 'node:test'
import { isOnS3 } from '@stowage/testing/engines/test-engines'
import { freePort } from '@stowage/testing/machine/free-port'
import { aDeployment } from '@stowage/testing/service/deployment'
import { aService } from '@stowage/testing/service/service'
import { aServiceProcess } from '@stowage/testing/service/service-process'
import { aFaultProxy, type Fault, type FaultProxy } from './fault-proxy.ts'

export interface ProxiedService {
  /** The service itself. */
  baseUrl: string
  /** The way to the service. */
  api: FaultProxy
  /** The way to its storage: where all addresses of parts lead. */
  storage: FaultProxy
}

export interface ProxiedOptions {
  settings: Record<string, string>
  api?: (request: IncomingMessage) => Fault
  /** Decides about what clients ask of the storage; what the service asks of it passes. */
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
  const { baseUrl } = await aServiceProcess(t, {
    STOWAGE_LOG: 'warn',
    STOWAGE_STORAGE_PORT: String(storagePort),
    STOWAGE_STORAGE_URL: storage.url,
    ...options.settings,
  })
  return { baseUrl, storage }
}

/** In this process, as a service of its own takes no parts as small as these on S3. */
async function onS3(t: TestContext, options: ProxiedOptions) {
  const deployment = await aDeployment(t)
  const decide = options.storage ?? pass
  const storage = await aFaultProxy(t, {
    target: () => deployment.settings.STOWAGE_S3_ENDPOINT ?? '',
    // The service signs with a header, clients have addresses that are signed.
    fault: (request) => (request.headers.authorization === undefined ? decide(request) : pass()),
  })
  const settings = { ...options.settings, STOWAGE_S3_ENDPOINT: storage.url }
  const { baseUrl } = await aService(t, settings, deployment)
  return { baseUrl, storage }
}
