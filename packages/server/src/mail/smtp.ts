import { Readable } from 'node:stream'
import type { MailCheck, MailServer, Message, SendResult } from './mail.ts'
import { cleanLine } from './mail.ts'

/** The mail server of the settings. */
export interface SmtpConfig {
  host: string
  port: number
  /** TLS from the start. */
  isSecure: boolean
  /** `required`: never without STARTTLS. `offered`: if the server offers it. `off`: never. */
  startTls: 'required' | 'offered' | 'off'
  auth: { user: string; pass: string } | undefined
  /** Trusted certificates in PEM, besides those of the system. Only tests set it. */
  ca?: string | undefined
}

/** How many messages are sent at the same time. */
const MAX_CONNECTIONS = 5
/** Servers limit how many messages a connection may send. */
const MAX_MESSAGES = 100
/** A connection that sends nothing for so long is closed, before the server does it. */
const IDLE_MS = 5_000

export interface SmtpTimeouts {
  connectMs: number
  greetingMs: number
  /** Without any byte from the server. */
  socketMs: number
  /** For a message, from its connection to the last response: also for a server that responds byte by byte. */
  messageMs: number
}

const TIMEOUTS: SmtpTimeouts = {
  connectMs: 10_000,
  greetingMs: 15_000,
  socketMs: 30_000,
  messageMs: 60_000,
}

/** The largest response of a server that is kept. */
const MAX_RESPONSE = 500

type Connection = InstanceType<typeof import('nodemailer/lib/smtp-connection').default>

interface Open {
  connection: Connection
  sent: number
  isBroken: boolean
  idle: NodeJS.Timeout | undefined
}

/** The connection of an attempt, so that it can be ended. */
interface Holder {
  open: Open | undefined
  isGivenUp: boolean
  /** Whether the server has asked for the message: it may have received it. */
  isStarted: boolean
}

/** Connects when the first message is sent, and loads the SMTP library only then: the service starts without it. */
export function openSmtp(config: SmtpConfig, timeouts: SmtpTimeouts = TIMEOUTS): MailServer {
  const idle: Open[] = []
  const all = new Set<Open>()
  const waiting: (() => void)[] = []
  let running = 0
  let isClosed = false

  async function connect(holder: Holder): Promise<Open> {
    const { default: SMTPConnection } = await import('nodemailer/lib/smtp-connection')
    const connection = new SMTPConnection({
      host: config.host,
      port: config.port,
      secure: config.isSecure,
      requireTLS: config.startTls === 'required',
      ignoreTLS: config.startTls === 'off',
      connectionTimeout: timeouts.connectMs,
      greetingTimeout: timeouts.greetingMs,
      socketTimeout: timeouts.socketMs,
      dnsTimeout: timeouts.connectMs,
      allowInternalNetworkInterfaces: true,
      tls: { minVersion: 'TLSv1.2', ...(config.ca && { ca: config.ca }) },
    })
    const open: Open = { connection, sent: 0, isBroken: false, idle: undefined }
    all.add(open)
    holder.open = open
    try {
      await new Promise<void>((resolve, reject) => {
        connection.on('error', (error: Error) => {
          open.isBroken = true
          reject(error)
        })
        connection.on('end', () => {
          open.isBroken = true
          reject(new Error('The mail server closed the connection.'))
        })
        connection.connect((error?: Error | null) => (error ? reject(error) : resolve()))
      })
      await login(connection)
      return open
    } catch (error) {
      drop(open)
      throw error
    }
  }

  function login(connection: Connection): Promise<void> {
    const { auth } = config
    if (auth === undefined) return Promise.resolve()
    return new Promise((resolve, reject) => {
      connection.login(auth, (error?: Error | null) => (error ? reject(error) : resolve()))
    })
  }

  function drop(open: Open): void {
    clearTimeout(open.idle)
    all.delete(open)
    open.isBroken = true
    open.connection.close()
  }

  function keep(open: Open): void {
    if (isClosed || open.isBroken || open.sent >= MAX_MESSAGES) {
      all.delete(open)
      if (open.isBroken) open.connection.close()
      else open.connection.quit()
      return
    }
    open.idle = setTimeout(() => {
      idle.splice(idle.indexOf(open), 1)
      all.delete(open)
      open.connection.quit()
    }, IDLE_MS)
    open.idle.unref()
    idle.push(open)
  }

  function takeIdle(): Open | undefined {
    for (let open = idle.pop(); open !== undefined; open = idle.pop()) {
      clearTimeout(open.idle)
      if (!open.isBroken) return open
      drop(open)
    }
    return undefined
  }

  async function attempt(message: Message, holder: Holder): Promise<SendResult> {
    const { default: MailComposer } = await import('nodemailer/lib/mail-composer')
    const compiled = new MailComposer(toMail(message)).compile()
    const { from, to } = compiled.getEnvelope()
    const raw = await compiled.build()
    let reused = takeIdle()
    for (;;) {
      const isReused = reused !== undefined
      const open = reused ?? (await connect(holder))
      holder.open = open
      try {
        const response = await transmit(open, { from, to }, { raw, holder })
        open.sent += 1
        keep(open)
        return { outcome: 'accepted', response }
      } catch (error) {
        drop(open)
        // A connection that the server has closed meanwhile fails before the message is sent.
        const isStale = isReused && !holder.isStarted && codeOf(error) === undefined
        if (!isStale || isClosed || holder.isGivenUp) throw error
        reused = undefined
      }
    }
  }

  function transmit(
    { connection }: Open,
    envelope: { from: string | false; to: string[] },
    { raw, holder }: { raw: Buffer; holder: Holder },
  ): Promise<string> {
    // Read only when the server has asked for the message.
    function* read() {
      holder.isStarted = true
      yield raw
    }
    return new Promise((resolve, reject) => {
      const onEnd = () => reject(new Error(ENDED))
      connection.once('end', onEnd)
      connection.once('error', reject)
      const size = raw.length
      connection.send({ ...envelope, size }, Readable.from(read()), (error, info) => {
        connection.removeListener('end', onEnd)
        connection.removeListener('error', reject)
        if (error) reject(error)
        else resolve(shorten(info?.response ?? ''))
      })
    })
  }

  /** Ends an attempt that takes too long, whatever the server does. */
  async function withinLimit(message: Message): Promise<SendResult> {
    const holder: Holder = { open: undefined, isGivenUp: false, isStarted: false }
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<SendResult>((resolve) => {
      timer = setTimeout(() => {
        holder.isGivenUp = true
        if (holder.open !== undefined) drop(holder.open)
        const response = `The mail server did not accept the message within ${timeouts.messageMs / 1000} s.`
        resolve({ outcome: 'postponed', response, isUnreachable: !holder.isStarted })
      }, timeouts.messageMs)
    })
    try {
      return await Promise.race([
        attempt(message, holder).catch((error) => toResult(error, holder)),
        late,
      ])
    } finally {
      clearTimeout(timer)
    }
  }

  return {
    async send(message) {
      if (BREAKING.test(message.to)) return { outcome: 'refused', response: NO_ADDRESS }
      if (running >= MAX_CONNECTIONS) await new Promise<void>((resolve) => waiting.push(resolve))
      if (isClosed) return { outcome: 'postponed', response: CLOSED, isUnreachable: true }
      running += 1
      try {
        return await withinLimit(message)
      } finally {
        running -= 1
        waiting.shift()?.()
      }
    },

    async check(): Promise<MailCheck> {
      const open = await connect({ open: undefined, isGivenUp: false, isStarted: false })
      const isEncrypted = Boolean(open.connection.secure)
      all.delete(open)
      open.connection.quit()
      return { isEncrypted, isAuthenticated: config.auth !== undefined }
    },

    close() {
      isClosed = true
      for (const open of all) drop(open)
      for (const resolve of waiting.splice(0)) resolve()
    },
  }
}

const CLOSED = 'The service is shutting down.'
/** The library could break the header at one of these. */
const BREAKING = /[\s\p{Cc}]/u
const NO_ADDRESS = 'The recipient is not an e-mail address.'
const ENDED = 'The connection broke while the message was sent.'

function toMail(message: Message) {
  const { from, to, replyTo, subject, text, html, messageId, date, unsubscribeUrl } = message
  return {
    from: { name: cleanLine(from.name ?? ''), address: from.address },
    to: { name: '', address: to },
    ...(replyTo !== null && !BREAKING.test(replyTo) && { replyTo: { name: '', address: replyTo } }),
    subject: cleanLine(subject),
    text,
    html,
    messageId,
    date,
    headers: {
      'Auto-Submitted': 'auto-generated',
      ...(unsubscribeUrl && {
        'List-Unsubscribe': { prepared: true, value: `<${unsubscribeUrl}>` },
        'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
      }),
    },
    disableFileAccess: true,
    disableUrlAccess: true,
  }
}

interface SmtpError {
  code?: string
  command?: string
  responseCode?: number
  response?: string
  message: string
}

function codeOf(error: unknown): number | undefined {
  return (error as SmtpError).responseCode
}

const ENVELOPE_COMMANDS = ['MAIL FROM', 'RCPT TO', 'DATA']
/** The server requires authentication: a problem of the settings, not of the message. */
const AUTHENTICATION = [530, 534, 535]
/** The server closes the connection. */
const CLOSING = 421

/** A permanent response to the message is final. Everything else may work later. */
function toResult(error: unknown, { isStarted }: Holder): SendResult {
  const { code, command = '', responseCode, response, message } = error as SmtpError
  const text = shorten(response || message)
  if (responseCode === undefined) {
    // The library refuses an address or a size that the server does not take.
    if (code === 'EENVELOPE' || code === 'EMESSAGE') return { outcome: 'refused', response: text }
    // A server that breaks after the message may have received it, so it is not repeated soon.
    return { outcome: 'postponed', response: text, isUnreachable: !isStarted }
  }
  const isAboutMessage =
    ENVELOPE_COMMANDS.includes(command) && !AUTHENTICATION.includes(responseCode)
  if (isAboutMessage && responseCode >= 500) return { outcome: 'refused', response: text }
  const isUnreachable = !isAboutMessage || responseCode === CLOSING
  return { outcome: 'postponed', response: text, isUnreachable }
}

function shorten(text: string): string {
  return cleanLine(text).slice(0, MAX_RESPONSE)
}
