import { isStowageError, StowageError } from '../errors.ts'
import { unlessAborted } from '../on-abort.ts'
import type { Request } from '../request.ts'
import { type CallOptions, resizeSession, type Session } from './session.ts'
import type { Source } from './source.ts'

/**
 * Declares the next size of a stream of unknown length. Returns false if the actual size is already
 * declared.
 */
export async function declareNext(
  request: Request,
  { source, session, call }: { source: Source; session: Session; call: CallOptions },
): Promise<boolean> {
  const next = source.nextSize?.()
  const declared = next && (await unlessAborted(next, call.signal))
  if (declared === undefined) return false
  try {
    await resizeSession(request, session, { ...call, ...declared })
  } catch (error) {
    if (isStowageError(error, 'invalid')) throw tooLong(source.name, error)
    const { minSize: size } = declared
    // A service without estimates refuses them: it may have storage for what was read.
    if (size === undefined || !isStowageError(error) || !NO_STORAGE.test(error.code)) throw error
    await resizeSession(request, session, { ...call, size })
  }
  source.size = session.bytes
  return true
}

const NO_STORAGE = /^storage_(exceeded|full)$/

function tooLong(name: string, cause: StowageError): StowageError {
  const { status, errors } = cause
  const message = `${name} is too long for a stream of unknown length. Pass its size: upload(stream, { size }).`
  return new StowageError('invalid', message, { status, errors, cause })
}
