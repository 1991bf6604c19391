import type { MailSender } from '../domain/mail.ts'

/** A mail to give to the server. Headers are made from these fields only: control characters never reach them. */
export interface Message {
  from: MailSender
  to: string
  replyTo: string | null
  subject: string
  text: string
  html: string
  /** With angle brackets. */
  messageId: string
  date: Date
  /** One-click unsubscription, as RFC 8058 defines it. */
  unsubscribeUrl?: string | undefined
}

/** What became of a message. `response` is that of the server, or the problem. */
export type SendResult =
  | { outcome: 'accepted'; response: string }
  /** For good: repeating it is useless. */
  | { outcome: 'refused'; response: string }
  /** `isUnreachable`: the server did not ask for the message, and would not ask for others either. */
  | { outcome: 'postponed'; response: string; isUnreachable: boolean }

export interface MailCheck {
  isEncrypted: boolean
  isAuthenticated: boolean
}

/** Gives messages to a mail server. */
export interface MailServer {
  /**
   * Resolves within two minutes, and never rejects. A message may have arrived although it was not accepted, if the
   * connection broke after the server had received it: repeat it with the same Message-ID.
   */
  send(message: Message): Promise<SendResult>
  /** Connects, starts TLS and authenticates, but sends nothing. Rejects with the problem. */
  check(): Promise<MailCheck>
  /** Ends all connections. Running messages are postponed. */
  close(): void
}

/** Replaces what must not be in a header, or would break a line. */
export function cleanLine(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to remove.
  return text.replaceAll(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g, ' ').trim()
}
