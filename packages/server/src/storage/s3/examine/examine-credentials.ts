import { formatDuration } from '@stowage/protocol/format'
import type { Finding } from '../../../domain/finding.ts'
import { type Examination, found } from './examination.ts'

/** URLs signed with temporary credentials expire with them. */
export async function examineCredentials(examination: Examination): Promise<Finding> {
  const { client, clock, signedForMs } = examination
  let expiration: Date | undefined
  try {
    ;({ expiration } = await client.config.credentials())
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    return found('error', `there are no credentials for the storage: ${reason}`, {
      remedy: 'set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, set AWS_PROFILE, or attach a role',
    })
  }
  if (expiration === undefined) return found('ok', 'the credentials do not expire')
  const lifetimeMs = expiration.getTime() - clock().getTime()
  const lifetime = formatDuration(lifetimeMs)
  if (lifetimeMs >= signedForMs) {
    return found('ok', `the credentials are valid for ${lifetime}, then they are renewed`)
  }
  return found(
    'note',
    `the credentials and the URLs signed with them are only valid for ${lifetime}, which is shorter than STOWAGE_SIGNED_FOR (${formatDuration(signedForMs)}); clients that take longer must request new URLs (GET /assets/:id/upload)`,
    {
      remedy: 'use permanent keys, a role with longer sessions, or a shorter STOWAGE_SIGNED_FOR',
    },
  )
}
