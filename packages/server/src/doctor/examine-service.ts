import type { Finding } from '../domain/finding.ts'
import type { DoctorContext } from './doctor-context.ts'
import { examineIdentity } from './examine-identity.ts'
import { reconcileFiles } from './reconcile-files.ts'
import { reconcileUploads } from './reconcile-uploads.ts'
import { reconcileUsage } from './reconcile-usage.ts'

/** How doctor gets at the engines, one after the other. */
export interface Engines {
  examineSettings(): AsyncIterable<Finding>
  examineDatabase(): AsyncIterable<Finding>
  examineStorage(): AsyncIterable<Finding>
  /** Only once both were found well. */
  open(): Promise<DoctorContext & { close(): Promise<void> }>
}

const NOT_COMPARED: Finding = {
  about: 'books',
  verdict: 'note',
  says: 'files, uploads and books were not compared: first what is above must be in order',
}

/** Everything that can be looked at, in the order in which one thing rests on another. */
export async function* examineService(engines: Engines): AsyncIterable<Finding> {
  let isReady = true
  for (const findings of [
    engines.examineSettings(),
    engines.examineDatabase(),
    engines.examineStorage(),
  ]) {
    for await (const finding of findings) {
      yield finding
      if (!letsCompare(finding)) isReady = false
      if (finding.about === 'settings' && finding.verdict === 'wrong') return
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
    if (identity.verdict === 'wrong') {
      yield NOT_COMPARED
      return
    }
    yield* reconcileUsage(context)
    yield* reconcileFiles(context)
    yield* reconcileUploads(context)
  } finally {
    await close()
  }
}

/** Rows and objects can be read; what browsers may do is another matter. */
function letsCompare({ about, verdict }: Finding): boolean {
  return about === 'bucket rules' || (verdict !== 'wrong' && verdict !== 'pending')
}
