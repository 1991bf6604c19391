import type { Finding } from '../domain/finding.ts'
import type { DoctorContext } from './doctor-context.ts'
import { examineIdentity } from './examine-identity.ts'
import { examineSecretKey, examineWebhooks } from './examine-webhooks.ts'
import { reconcileEvents } from './reconcile-events.ts'
import { reconcileFiles } from './reconcile-files.ts'
import { reconcileUploads } from './reconcile-uploads.ts'
import { reconcileUsage } from './reconcile-usage.ts'

/** The engine-specific checks. */
export interface Engines {
  examineSettings(): AsyncIterable<Finding>
  examineDatabase(): AsyncIterable<Finding>
  examineStorage(): AsyncIterable<Finding>
  /** Call it only if the checks of both engines passed. */
  open(): Promise<DoctorContext & { close(): Promise<void> }>
}

const NOT_COMPARED: Finding = {
  check: 'usage',
  status: 'note',
  message: 'files, uploads, usage and events were not compared, because of the findings above',
}

/** Runs all checks, each after those that it depends on. */
export async function* examineService(engines: Engines): AsyncIterable<Finding> {
  let isReady = true
  for (const findings of [
    engines.examineSettings(),
    engines.examineDatabase(),
    engines.examineStorage(),
  ]) {
    for await (const finding of findings) {
      yield finding
      if (!allowsComparison(finding)) isReady = false
      if (finding.check === 'settings' && finding.status === 'error') return
    }
  }
  if (!isReady) {
    yield NOT_COMPARED
    return
  }
  const { close, ...context } = await engines.open()
  try {
    const identity = await examineIdentity(context)
    yield identity
    if (identity.status === 'error') {
      yield NOT_COMPARED
      return
    }
    yield* reconcileUsage(context)
    yield await reconcileEvents(context)
    yield* reconcileFiles(context)
    yield* reconcileUploads(context)
    yield await examineSecretKey(context)
    yield await examineWebhooks(context)
  } finally {
    await close()
  }
}

/** Wrong bucket rules do not prevent the comparison, because it only reads rows and objects. */
function allowsComparison({ check, status }: Finding): boolean {
  return check === 'bucket rules' || (status !== 'error' && status !== 'pending')
}
