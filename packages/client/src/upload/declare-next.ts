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
  for (let isTight = false; ; isTight = true) {
    const next = source.nextSize?.(isTight)
    const size = next && (await unlessAborted(next, call.signal))
    if (size === undefined) return false
    try {
      await resizeSession(request, session, { ...call, size })
      source.size = size
      return true
    } catch (error) {
      if (isStowageError(error, 'invalid')) throw tooLong(source.name, error)
      // The plan may have storage for what was read, even if not for the size declared in advance.
      if (isTight || !isStowageError(error) || !/^storage_(exceeded|full)$/.test(error.code)) {
        throw error
      }
    }
  }
}

function tooLong(name: string, cause: StowageError): StowageError {
  const { status, errors } = cause
  const message = `${name} is too long for a stream of unknown length. Pass its size: upload(stream, { size }).`
  return new StowageError('invalid', message, { status, errors, cause })
}
