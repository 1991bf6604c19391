import type { Command } from './usage.ts'

interface Entry {
  /** Half a line for the overview. */
  summary: string
  /** Only what is called is loaded: `stowage serve` starts as if it were alone. */
  load(): Promise<Command>
}

/** Every command there is, as the overview shows them. */
export const COMMANDS = {
  upload: {
    summary: 'send files and folders; goes on where it was interrupted',
    load: async () => (await import('./commands/upload.ts')).upload,
  },
  ls: {
    summary: 'list assets',
    load: async () => (await import('./commands/ls.ts')).ls,
  },
  show: {
    summary: 'everything about an asset',
    load: async () => (await import('./commands/show.ts')).show,
  },
  get: {
    summary: 'download assets; goes on where it was interrupted',
    load: async () => (await import('./commands/get.ts')).get,
  },
  rename: {
    summary: 'give an asset another name',
    load: async () => (await import('./commands/rename.ts')).rename,
  },
  rm: {
    summary: 'delete assets',
    load: async () => (await import('./commands/rm.ts')).rm,
  },
  attach: {
    summary: 'link assets to products',
    load: async () => (await import('./commands/attach.ts')).attach,
  },
  detach: {
    summary: 'take assets off products',
    load: async () => (await import('./commands/detach.ts')).detach,
  },
  products: {
    summary: 'list and import the shop’s products',
    load: async () => (await import('./commands/products.ts')).products,
  },
  account: {
    summary: 'plan, and how much of it is used',
    load: async () => (await import('./commands/account.ts')).account,
  },
  login: {
    summary: 'remember a service’s address and key',
    load: async () => (await import('./commands/login.ts')).login,
  },
  logout: {
    summary: 'forget them',
    load: async () => (await import('./commands/logout.ts')).logout,
  },
  serve: {
    summary: 'run the service',
    load: async () => (await import('./commands/serve.ts')).serve,
  },
  accounts: {
    summary: 'list, add and set accounts and their plans',
    load: async () => (await import('./commands/accounts.ts')).accounts,
  },
  keys: {
    summary: 'list, add and revoke API keys',
    load: async () => (await import('./commands/keys.ts')).keys,
  },
  doctor: {
    summary: 'look at settings, database and storage, and say what is wrong',
    load: async () => (await import('./commands/doctor.ts')).doctor,
  },
  move: {
    summary: 'carry a service from SQLite and disk to PostgreSQL and S3',
    load: async () => (await import('./commands/move.ts')).move,
  },
  adopt: {
    summary: 'bind a storage to a database, after one of them was replaced',
    load: async () => (await import('./commands/adopt.ts')).adopt,
  },
} as const satisfies Record<string, Entry>

export type CommandName = keyof typeof COMMANDS

/** They work on a database and a storage themselves; all others talk to a service. */
export const OPERATOR_COMMANDS: readonly CommandName[] = [
  'serve',
  'accounts',
  'keys',
  'doctor',
  'move',
  'adopt',
]

export function isCommand(name: string): name is CommandName {
  return Object.hasOwn(COMMANDS, name)
}
