import { StowageError } from '../errors.ts'
import type { Request } from '../request.ts'
import { type CallOptions, findSession, referenceOf, type Session } from './session.ts'

/**
 * Re-signs the URLs and reads which parts the storage has. Parts that this client has sent in the meantime are
 * kept, unless `isStrict` is set or another client has sent the remaining parts.
 */
export async function renewSession(
  request: Request,
  session: Session,
  { call, isStrict = false }: { call: CallOptions; isStrict?: boolean },
): Promise<void> {
  const fresh = await findSession(request, referenceOf(session), call)
  if (fresh === undefined) throw uploadEnded()
  const kept = isStrict || fresh.isOver ? undefined : session
  session.urls = new Map([...(kept?.urls ?? []), ...fresh.urls])
  session.received = new Map([...fresh.received, ...(kept?.received ?? [])])
  session.renewAt = fresh.renewAt
}

export function uploadEnded(): StowageError {
  return new StowageError('upload_ended', 'The upload was cancelled or has expired.')
}
