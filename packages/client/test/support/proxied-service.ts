import type { IncomingMessage } from 'node:http'
import type { TestContext } from 'node:test'
import { freePort } from '../../../server/test/support/free-port.ts'
import { aServiceProcess, type ServiceProcess } from '../../../server/test/support/process.ts'
import { aFaultProxy, type Fault, type FaultProxy } from './fault-proxy.ts'

export interface ProxiedService extends ServiceProcess {
  /** The way to the service. */
  api: FaultProxy
  /** The way to its storage: where all addresses of parts lead. */
  storage: FaultProxy
}

const PASS: Fault = { kind: 'pass' }

/** A service and its storage, each behind a proxy. */
export async function aProxiedService(
  t: TestContext,
  options: {
    settings: Record<string, string>
    api?: (request: IncomingMessage) => Fault
    storage?: (request: IncomingMessage) => Fault
  },
): Promise<ProxiedService> {
  const storagePort = await freePort()
  const storage = await aFaultProxy(t, {
    target: () => `http://127.0.0.1:${storagePort}`,
    fault: options.storage ?? (() => PASS),
  })
  const service = await aServiceProcess(t, {
    STOWAGE_LOG: 'warn',
    STOWAGE_STORAGE_PORT: String(storagePort),
    STOWAGE_STORAGE_URL: storage.url,
    ...options.settings,
  })
  const api = await aFaultProxy(t, {
    target: () => service.baseUrl,
    fault: options.api ?? (() => PASS),
  })
  return { ...service, api, storage }
}
