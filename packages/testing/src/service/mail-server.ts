import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'
import { cleanUp } from '../machine/clean-up.ts'

/** A message that a mail server has received. */
export interface ReceivedMail {
  from: string
  to: string[]
  raw: string
  /** By its name in lower case, unfolded. */
  header(name: string): string | undefined
}

export interface MailServerRules {
  /** Refuses a recipient: a code such as 550, and a text. */
  refuse?: (recipient: string) => { code: number; text: string } | undefined
  /** Refuses a message after it was received. */
  refuseMessage?: (mail: ReceivedMail) => { code: number; text: string } | undefined
  /** Called when a message was received, before the response. The connection breaks if it returns `break`. */
  onMessage?: (mail: ReceivedMail) => 'break' | undefined | Promise<'break' | undefined>
  options?: SMTPServerOptions
}

export interface TestMailServer {
  url: string
  port: number
  mails: ReceivedMail[]
  /** The messages to an address. */
  to(address: string): ReceivedMail[]
  rules: MailServerRules
  close(): Promise<void>
}

/** A mail server on loopback. Its rules may be changed at any time. */
export async function aMailServer(
  t: TestContext,
  rules: MailServerRules = {},
  port = 0,
): Promise<TestMailServer> {
  const mails: ReceivedMail[] = []
  const current = { ...rules }
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['AUTH', 'STARTTLS'],
    logger: false,
    ...rules.options,
    onRcptTo({ address }, _session, done) {
      const refusal = current.refuse?.(address)
      done(refusal && Object.assign(new Error(refusal.text), { responseCode: refusal.code }))
    },
    onData(stream, session, done) {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', async () => {
        const raw = Buffer.concat(chunks).toString('latin1')
        const { mailFrom, rcptTo } = session.envelope
        const mail: ReceivedMail = {
          from: mailFrom === false ? '' : mailFrom.address,
          to: rcptTo.map(({ address }) => address),
          raw,
          header: (name) => headerOf(raw, name),
        }
        const refusal = current.refuseMessage?.(mail)
        if (refusal !== undefined) {
          done(Object.assign(new Error(refusal.text), { responseCode: refusal.code }))
          return
        }
        mails.push(mail)
        const isBroken = (await current.onMessage?.(mail)) === 'break'
        if (!isBroken) done(null, 'Ok: queued')
        else for (const connection of server.connections) connection.close()
      })
    },
  })
  server.on('error', () => {})
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', () => resolve()))
  const close = () => new Promise<void>((resolve) => server.close(() => resolve()))
  cleanUp(t, close)
  const { port: listening } = server.server.address() as AddressInfo
  return {
    url: `smtp://127.0.0.1:${listening}`,
    port: listening,
    mails,
    to: (address) => mails.filter((mail) => mail.to.includes(address)),
    rules: current,
    close,
  }
}

function headerOf(raw: string, name: string): string | undefined {
  const [head = ''] = raw.split('\r\n\r\n')
  const lines = head.replaceAll(/\r\n[ \t]+/g, ' ').split('\r\n')
  const start = `${name.toLowerCase()}:`
  return lines
    .find((line) => line.toLowerCase().startsWith(start))
    ?.slice(start.length)
    .trim()
}

/** The settings of a service that sends to this server. */
export function mailSettings({ url }: Pick<TestMailServer, 'url'>): Record<string, string> {
  return { STOWAGE_SMTP_URL: url, STOWAGE_MAIL_FROM: 'Sounds <files@sounds.example>' }
}
