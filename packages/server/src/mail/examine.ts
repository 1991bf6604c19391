import type { Finding } from '../domain/finding.ts'
import type { MailServer } from './mail.ts'

/** Connects to the mail server, starts TLS and authenticates, but sends nothing. */
export async function* examineMail(
  server: MailServer | undefined,
  host: string,
): AsyncIterable<Finding> {
  const check = 'mail'
  if (server === undefined) return
  try {
    const { isEncrypted, isAuthenticated } = await server.check()
    const facts = [
      isEncrypted ? 'with TLS' : 'without TLS',
      isAuthenticated ? 'and the password is accepted' : 'without a password',
    ]
    yield { check, status: 'ok', message: `${host} responds, ${facts.join(', ')}` }
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    const message = `the mail server ${host} cannot be used: ${reason}`
    yield { check, status: 'error', message, remedy: 'correct STOWAGE_SMTP_URL' }
  } finally {
    server.close()
  }
}
