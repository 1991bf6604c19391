import { isIP } from 'node:net'
import type { MailSender } from '../domain/mail.ts'
import type { SmtpConfig } from '../mail/smtp.ts'
import type { Read } from './engines.ts'
import { parseCount } from './settings.ts'

export interface MailConfig {
  /** Undefined: no mail is sent. */
  smtp: SmtpConfig | undefined
  from: MailSender | undefined
  replyTo: string | undefined
  /** How many mails a minute of one notice are queued. */
  noticesPerMinute: number
}

const SMTP_DESCRIPTION =
  'a URL such as smtp://user:password@mail.example.com:587 or smtps://mail.example.com; ?tls=off allows a connection without TLS to a server without a password'

const DEFAULT_NOTICES_PER_MINUTE = 60

/** The settings of mail. Adds their problems. */
export function readMail(read: Read, problems: string[]): MailConfig {
  const smtp = read('STOWAGE_SMTP_URL', parseSmtpUrl, SMTP_DESCRIPTION, { secret: true })
  const from = read(
    'STOWAGE_MAIL_FROM',
    parseSender,
    'an e-mail address, such as files@example.com or Sounds <files@example.com>',
  )
  const replyTo = read('STOWAGE_MAIL_REPLY_TO', parseAddress, 'an e-mail address')
  const rate = read('STOWAGE_MAIL_RATE', parseCount, 'a number of mails per minute, such as 60')
  if (problems.some((line) => /^STOWAGE_(SMTP|MAIL)_/.test(line))) {
    return { smtp, from, replyTo, noticesPerMinute: DEFAULT_NOTICES_PER_MINUTE }
  }
  if (smtp !== undefined && from === undefined) {
    problems.push('STOWAGE_MAIL_FROM: must be set with STOWAGE_SMTP_URL, such as files@example.com')
  }
  if (smtp === undefined) {
    const unused = {
      STOWAGE_MAIL_FROM: from,
      STOWAGE_MAIL_REPLY_TO: replyTo,
      STOWAGE_MAIL_RATE: rate,
    }
    for (const [name, value] of Object.entries(unused)) {
      if (value === undefined) continue
      problems.push(`${name}: has no effect without STOWAGE_SMTP_URL; set both or neither`)
    }
  }
  return { smtp, from, replyTo, noticesPerMinute: rate ?? DEFAULT_NOTICES_PER_MINUTE }
}

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|::1)$/

/** The password is never sent without TLS, unless the server is on this machine. */
export function parseSmtpUrl(text: string): SmtpConfig | undefined {
  const url = URL.parse(text)
  if (url === null || !/^smtps?:$/.test(url.protocol) || url.hostname === '') return undefined
  if (!/^\/?$/.test(url.pathname) || url.hash) return undefined
  const tls = url.searchParams.get('tls')
  const isKnown = [...url.searchParams.keys()].every((name) => name === 'tls')
  if (!isKnown || (tls !== null && tls !== 'off' && tls !== 'required')) return undefined
  const isSecure = url.protocol === 'smtps:'
  const host = url.hostname.replace(/^\[|\]$/g, '')
  const isLocal = LOOPBACK.test(host)
  const user = decode(url.username)
  const pass = decode(url.password)
  if (user === undefined || pass === undefined || (user === '') !== (pass === '')) return undefined
  const auth = user === '' ? undefined : { user, pass }
  if (tls === 'off' && (isSecure || (auth !== undefined && !isLocal))) return undefined
  const isRequired = tls === 'required' || (auth !== undefined && !isLocal)
  const startTls = tls === 'off' ? 'off' : isRequired ? 'required' : 'offered'
  return {
    host: isIP(host) === 0 ? (decode(host) ?? host) : host,
    port: url.port === '' ? (isSecure ? 465 : 587) : Number(url.port),
    isSecure,
    startTls,
    auth,
  }
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

function parseSender(text: string): MailSender | undefined {
  const [, name, inner] = text.match(/^\s*"?([^"<>]*?)"?\s*<([^<>]+)>\s*$/) ?? []
  const address = parseAddress(inner ?? text.trim())
  if (address === undefined || hasControl(name ?? '')) return undefined
  return { name: name || null, address }
}

function hasControl(text: string): boolean {
  return /\p{Cc}/u.test(text)
}

function parseAddress(text: string): string | undefined {
  const isValid = text.length <= 254 && /^[^\s@,;<>"]+@[^\s@,;<>"]+$/.test(text)
  return isValid && !hasControl(text) ? text : undefined
}
