import type { Command } from './usage.ts'

interface Entry {
  /** The description in `stowage --help`. */
  summary: string
  /** Loads the command only when it is called, so that each starts fast. */
  load(): Promise<Command>
}

/** All commands, in the order of `stowage --help`. */
export const COMMANDS = {
  upload: {
    summary: 'upload files and folders; resumes interrupted uploads',
    load: async () => (await import('./commands/upload.ts')).upload,
  },
  ls: {
    summary: 'list assets',
    load: async () => (await import('./commands/ls.ts')).ls,
  },
  uploads: {
    summary: 'list unfinished uploads',
    load: async () => (await import('./commands/uploads.ts')).uploads,
  },
  cancel: {
    summary: 'discard unfinished uploads',
    load: async () => (await import('./commands/cancel.ts')).cancel,
  },
  show: {
    summary: 'show the details of assets',
    load: async () => (await import('./commands/show.ts')).show,
  },
  get: {
    summary: 'download assets; resumes interrupted downloads',
    load: async () => (await import('./commands/get.ts')).get,
  },
  verify: {
    summary: 'compare stored files with their SHA-256',
    load: async () => (await import('./commands/verify.ts')).verify,
  },
  replace: {
    summary: 'upload a new version of a file',
    load: async () => (await import('./commands/replace.ts')).replace,
  },
  versions: {
    summary: 'list the versions of a file',
    load: async () => (await import('./commands/versions.ts')).versions,
  },
  restore: {
    summary: 'restore an asset from the trash, an older version of a file, or a backup',
    load: async () => (await import('./commands/restore.ts')).restore,
  },
  rename: {
    summary: 'rename an asset',
    load: async () => (await import('./commands/rename.ts')).rename,
  },
  folders: {
    summary: 'list, rename and move folders of assets',
    load: async () => (await import('./commands/folders.ts')).folders,
  },
  bulk: {
    summary: 'change all assets that match a filter',
    load: async () => (await import('./commands/bulk.ts')).bulk,
  },
  rm: {
    summary: 'delete assets',
    load: async () => (await import('./commands/rm.ts')).rm,
  },
  trash: {
    summary: 'list or empty the trash',
    load: async () => (await import('./commands/trash.ts')).trash,
  },
  attach: {
    summary: 'attach assets to products',
    load: async () => (await import('./commands/attach.ts')).attach,
  },
  detach: {
    summary: 'detach assets from products',
    load: async () => (await import('./commands/attach.ts')).detach,
  },
  tag: {
    summary: 'add tags to assets',
    load: async () => (await import('./commands/tag.ts')).tag,
  },
  untag: {
    summary: 'remove tags from assets',
    load: async () => (await import('./commands/tag.ts')).untag,
  },
  tags: {
    summary: 'list the tags of assets',
    load: async () => (await import('./commands/tag.ts')).tags,
  },
  products: {
    summary: "list and import the shop's products, and arrange their files",
    load: async () => (await import('./commands/products.ts')).products,
  },
  mail: {
    summary: 'show the mails to buyers; send them again; test the mail server',
    load: async () => (await import('./commands/mail.ts')).mail,
  },
  share: {
    summary: 'create a download page for files or products, and print its URL',
    load: async () => (await import('./commands/share.ts')).share,
  },
  orders: {
    summary: 'list, add, extend, hold and revoke orders; show their downloads',
    load: async () => (await import('./commands/orders.ts')).orders,
  },
  events: {
    summary: 'show what happened, follow it live, and forward it as webhooks',
    load: async () => (await import('./commands/events.ts')).events,
  },
  webhooks: {
    summary: 'send events to your own endpoints; show and repeat deliveries',
    load: async () => (await import('./commands/webhooks.ts')).webhooks,
  },
  account: {
    summary: 'show the plan and its usage',
    load: async () => (await import('./commands/account.ts')).account,
  },
  status: {
    summary: 'show the instances, queues, failures and disk of a service',
    load: async () => (await import('./commands/status.ts')).status,
  },
  tokens: {
    summary: 'create, list and revoke upload tokens for web pages',
    load: async () => (await import('./commands/tokens.ts')).tokens,
  },
  login: {
    summary: 'save the URL and the key of a service',
    load: async () => (await import('./commands/login.ts')).login,
  },
  logout: {
    summary: 'remove the saved URL and key',
    load: async () => (await import('./commands/login.ts')).logout,
  },
  serve: {
    summary: 'run the service',
    load: async () => (await import('./commands/serve.ts')).serve,
  },
  migrate: {
    summary: 'upgrade the database to this version',
    load: async () => (await import('./commands/migrate.ts')).migrate,
  },
  accounts: {
    summary: 'list, add and change accounts and their plans',
    load: async () => (await import('./commands/accounts.ts')).accounts,
  },
  keys: {
    summary: 'list, add and revoke API keys',
    load: async () => (await import('./commands/keys.ts')).keys,
  },
  doctor: {
    summary: 'check settings, database and storage for problems',
    load: async () => (await import('./commands/doctor.ts')).doctor,
  },
  move: {
    summary: 'copy a service from SQLite and disk to PostgreSQL and S3',
    load: async () => (await import('./commands/move.ts')).move,
  },
  backup: {
    summary: 'back up a service while it runs, and check backups',
    load: async () => (await import('./commands/backup.ts')).backup,
  },
  adopt: {
    summary: 'bind the storage to the database after one of them was replaced',
    load: async () => (await import('./commands/adopt.ts')).adopt,
  },
} as const satisfies Record<string, Entry>

export type CommandName = keyof typeof COMMANDS

/** Commands that open the database of a service, and most of them its storage, instead of sending requests to it. */
export const OPERATOR_COMMANDS: readonly CommandName[] = [
  'serve',
  'migrate',
  'accounts',
  'keys',
  'doctor',
  'move',
  'backup',
  'adopt',
]

export function isCommand(name: string): name is CommandName {
  return Object.hasOwn(COMMANDS, name)
}
