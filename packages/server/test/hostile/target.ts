import type { TestContext } from 'node:test'
import { isOnS3 } from '@stowage/testing/engines/test-engines'
import { ADMIN_KEY } from '@stowage/testing/service/accounts'
import { aServiceProcess, type ServiceProcess } from '@stowage/testing/service/service-process'
import { type DocumentedOperation, readDocument } from './document.ts'

/** The service under test. */
export interface Target {
  service: ServiceProcess
  operations: DocumentedOperation[]
  hosts: { api: string; storage: string }
  key: string
  /** Whether the service has a port for the disk storage. */
  hasStorage: boolean
  /** Throws if the process has exited. */
  checkAlive(): void
}

const WATCHES = ['./prototype-watch.ts', './memory-report.ts'].map(
  (file) => `--import=${new URL(file, import.meta.url).href}`,
)

/** Starts the service as a process that reports its memory, and at its exit any polluted prototypes. */
export async function startTarget(t: TestContext): Promise<Target> {
  const service = await aServiceProcess(t, {
    STOWAGE_AUTH: 'keys',
    STOWAGE_ADMIN_KEY: ADMIN_KEY,
    STOWAGE_PLAN_STORAGE: '1GB',
    STOWAGE_LOG: 'warn',
    NODE_OPTIONS: WATCHES.join(' '),
    ...(!isOnS3 && { STOWAGE_CHUNK_SIZE: '16' }),
  })
  const document = await (await fetch(`${service.baseUrl}/openapi.json`)).json()
  return {
    service,
    // One call that deletes all assets would leave nothing for the others to find.
    operations: readDocument(document).filter(({ path }) => !path.endsWith('/deleted-all')),
    hosts: { api: new URL(service.baseUrl).host, storage: new URL(service.storageUrl).host },
    key: ADMIN_KEY,
    hasStorage: !isOnS3,
    checkAlive() {
      const { exitCode, signalCode } = service.child
      if (exitCode === null && signalCode === null) return
      throw new Error(`the service ended (${exitCode ?? signalCode}): ${service.output().stderr}`)
    },
  }
}
