import type { SecretKey } from '../crypto/secret-key.ts'
import type { AccountData } from '../database/account-data.ts'
import type { Database } from '../database/database.ts'
import type { Instance } from '../database/operator-data.ts'
import type { EventActor } from '../domain/event.ts'
import type { MailSender } from '../domain/mail.ts'
import type { UploadToken } from '../domain/upload-token.ts'
import type { SendWebhook } from '../domain/webhook.ts'
import type { MailServer } from '../mail/mail.ts'
import type { Storage } from '../storage/storage.ts'

/** Everything that an operation may use. Time, IDs and randomness are passed in, never read directly. */
export interface Context {
  readonly database: Readonly<Database>
  readonly storage: Readonly<Storage>
  clock: () => Date
  newId: () => string
  randomBytes: (length: number) => Uint8Array
  /** Encrypts the secrets that are stored. */
  secretKey: SecretKey
  settings: Settings
  /** The running instance. */
  instance: Instance
  health: Health
  /** Sends one request to a webhook. */
  sendWebhook: SendWebhook
  /** Within this instance, announces by an event of the type `due` that a delivery has become due. */
  deliveries: EventTarget
  mail: Mailing
  /** Logs a problem that does not make the call fail. */
  warn: (message: string, error: unknown) => void
  /** Call it with the error of a failed request: after an outage, the log says when it is over. `warn` does it, too. */
  noticeOutage: (error: unknown) => void
}

/** How this instance sends mail. */
export interface Mailing {
  /** `outbox`: without a mail server, a service for development only shows its mails. `off`: nothing is sent. */
  mode: 'smtp' | 'outbox' | 'off'
  /** Undefined unless `mode` is `smtp`. */
  server: MailServer | undefined
  from: MailSender
  replyTo: string | null
  noticesPerMinute: number
  /** The URL of the service, for the pages of buyers. */
  baseUrl: () => string
  /** Within this instance, announces by an event of the type `due` that there is work. */
  queue: EventTarget
}

/** What this instance has detected about itself. */
export interface Health {
  /** How far its clock is off; undefined while it is close enough to the database’s. */
  clock: string | undefined
  /** A migration that a newer version of Stowage has run on the database while this instance runs. */
  newerMigration?: string | undefined
  /** What is wrong with the key that encrypts secrets. */
  secretKey?: string | undefined
  /** The jobs whose last runs have all failed. */
  failingJobs: Set<string>
  /** When the disk will be full, if that is soon. */
  disk?: string | undefined
  /** When the disk will be full if it continues to fill. */
  diskFullAt?: Date | undefined
  /** The engines whose calls take too long at the moment, described. */
  listSlow?: () => string[]
}

export interface Settings {
  chunkSize: number
  /** How long the signed URLs of parts are valid. */
  signedForMs: number
  /** How long an unfinished upload is kept after its last activity. */
  uploadsKeptForMs: number
  /** How many older versions of a file are kept. */
  keepVersions: number
  /** How long deleted assets stay in the trash. 0: they are removed immediately. */
  trashForMs: number
  /** How long events are kept. */
  eventsForMs: number
  /** How many bytes of events are kept for each account. Undefined: 1 % of its plan, at least 1 GB. */
  eventsMaxBytes: number | undefined
  /** How long the log of downloads is kept. */
  downloadsForMs: number
  /** On S3, whether the downloads of buyers are redirected to the storage, or sent by the service. */
  deliver: 'redirect' | 'proxy'
  /** Whether the SHA-256 of every file is computed, by a job unless it was declared for a small file on disk. */
  checksums: boolean
  /** How often every file is read again. 0: never. */
  scrubEveryMs: number
  auth: AuthSettings
  /** `public`: webhooks are not sent to private, loopback and link-local addresses. */
  webhookTargets: 'public' | 'any'
  /** Requests per minute and key; undefined means no limit. */
  rateLimit: number | undefined
}

const NO_SCRUB_MS = 365 * 24 * 3_600_000

/** When an object that was read is read again. Without a scrub, it is not, so any valid time works. */
export function nextReadMs({ scrubEveryMs }: Settings): number {
  return scrubEveryMs > 0 ? scrubEveryMs : NO_SCRUB_MS
}

export type AuthSettings =
  /** Anyone who can reach the service has the scope `manage` on this account. */
  | { kind: 'open'; accountId: string }
  /** `admin` is a manage key from the settings, given by its SHA-256. During a rotation, there are two. */
  | {
      kind: 'keys'
      admin: { accountId: string; hash: string; previousHash?: string | undefined } | undefined
    }

/** The context of an operation on behalf of one account. Data of other accounts is out of reach. */
export interface AccountContext extends Omit<Context, 'database'> {
  accountId: string
  data: AccountData
  /** For a call that can change many resources: all events of its changes get the same, new `call`. */
  dataOfCall: () => AccountData
  database: WorkQueues
  /** Set if a page makes the call with an upload token. */
  uploadToken?: UploadToken | undefined
}

/**
 * The queues of work that the jobs do for all accounts. A call uses them if its caller waits for the result: to free
 * space in the storage, or to send a ping.
 */
type WorkQueues = Pick<
  Database,
  | 'readClock'
  | 'claimDueRemovals'
  | 'finishRemoval'
  | 'postponeRemoval'
  | 'recordAttempt'
  | 'releaseClaim'
>

/** The events of all changes name `actor`; by default the operator. */
export function forAccount(
  context: Context,
  accountId: string,
  actor?: EventActor,
): AccountContext {
  const { database, newId } = context
  return {
    ...context,
    accountId,
    data: database.of(accountId, actor),
    dataOfCall: () => database.of(accountId, actor, newId()),
    database: queuesOf(database),
  }
}

/** Only these methods, so that no operation of an account reaches the others. */
function queuesOf(database: Database): WorkQueues {
  const { readClock, claimDueRemovals, finishRemoval, postponeRemoval } = database
  const { recordAttempt, releaseClaim } = database
  const removals = { claimDueRemovals, finishRemoval, postponeRemoval }
  return { readClock, ...removals, recordAttempt, releaseClaim }
}
