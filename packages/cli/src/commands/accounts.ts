import { formatSize, parseDuration, parseSize } from '@stowage/protocol/format'
import type { AccountReport, Operator } from '@stowage/server'
import { counted, tableWidth, writeData, writeMessage } from '../output.ts'
import { isInteractive, prompt } from '../terminal/prompt.ts'
import { table } from '../terminal/table.ts'
import {
  type Command,
  readOptions,
  refuseArguments,
  requireOneArgument,
  UsageError,
} from '../usage.ts'

const OPTIONS = {
  plan: { type: 'string' },
  storage: { type: 'string' },
  assets: { type: 'string' },
  in: { type: 'string' },
  now: { type: 'boolean' },
  yes: { type: 'boolean', short: 'y' },
} as const

const GRACE_MS = 7 * 86_400_000
const MAX_GRACE_MS = 365 * 86_400_000

export const accounts: Command = {
  help: `stowage accounts: list, add, change, suspend and delete accounts

Usage:
  stowage accounts ls
  stowage accounts add NAME [--storage SIZE] [--assets NUMBER] [--plan NAME]
  stowage accounts set NAME [--storage SIZE] [--assets NUMBER] [--plan NAME]
  stowage accounts suspend NAME
  stowage accounts resume NAME
  stowage accounts rename NAME NEWNAME
  stowage accounts delete NAME [--in TIME | --now] [--yes]

  --storage   the storage of the plan, such as 500GB (default for a new account: 1TB)
  --assets    how many assets and unfinished uploads the plan allows, or "unlimited" (default for a
              new account). Assets in the trash do not count
  --plan      the name of the plan (default for a new account: "default")
  --in        how long the account can be restored (default: 7d)
  --now       begin to remove everything immediately
  -y, --yes   do not ask for the name of the account again
  --json      JSON instead of a table

Changes take effect immediately, even while the service is running. If a plan allows less than the
account uses, nothing is deleted, but new uploads are refused. list is an alias of ls.

A suspended account can be read, but not changed: its keys get 403 account_suspended. Buyers still
download, unfinished uploads are kept, and mails, webhooks and changes that were queued before are
still done. resume ends it.

delete refuses all calls of the account from now on. After the time of --in, everything that it has
is removed in the background: assets with all versions, the trash, orders, mails, webhooks, keys and
events. Until then, resume restores it, and buyers still download.

The command uses the database set in the STOWAGE_* variables (default: the one in ./data) and shows
which one that is. It does not create a database: run stowage serve first.

Examples:
  stowage accounts add presets --storage 200GB --plan studio
  stowage accounts set presets --storage 1TB
  stowage accounts suspend presets
  stowage accounts delete presets --in 30d
  stowage accounts ls --json
`,
  async run([action, ...commandLine]) {
    const { values, positionals } = readOptions(commandLine, OPTIONS)
    const { operate } = await import('@stowage/server')
    const storage = values.storage === undefined ? undefined : parseSize(values.storage)
    if (values.storage !== undefined && storage === undefined) {
      throw new UsageError(`--storage ${values.storage}: must be a size such as 500GB.`)
    }
    const assets = readAssets(values.assets)
    const { plan } = values
    const json = values.json === true
    const show = (report: AccountReport) =>
      writeData(report, { json, text: accountTable([report]) })
    if (action === 'ls' || action === 'list') {
      refuseArguments(positionals)
      return operate(async (operator) => {
        const reports = await operator.listAccounts()
        writeData(reports, { json, text: accountTable(reports) })
      })
    }
    if (action === 'add') {
      const name = requireOneArgument(positionals, 'name')
      const details = {
        name,
        plan: plan ?? 'default',
        storage: storage ?? 1e12,
        assets: assets ?? null,
      }
      return operate(async (operator) => show(await operator.addAccount(details)))
    }
    if (action === 'set') {
      const name = requireOneArgument(positionals, 'name')
      const change = {
        ...(plan !== undefined && { plan }),
        ...(storage !== undefined && { storage }),
        ...(assets !== undefined && { assets }),
      }
      if (Object.keys(change).length === 0)
        throw new UsageError('Nothing to set. Pass --storage, --assets or --plan.')
      return operate(async (operator) => show(await operator.setPlan(name, change)))
    }
    if (action === 'suspend') {
      const name = requireOneArgument(positionals, 'name')
      return operate(async (operator) => show(await operator.suspendAccount(name)))
    }
    if (action === 'resume') {
      const name = requireOneArgument(positionals, 'name')
      return operate(async (operator) => show(await operator.resumeAccount(name)))
    }
    if (action === 'delete') {
      const name = requireOneArgument(positionals, 'name')
      const afterMs = readGrace(values)
      if (values.yes !== true && !isInteractive()) {
        throw new UsageError('Not interactive. Pass --yes to delete without confirmation.')
      }
      return operate(async (operator) => {
        if (values.yes !== true && !(await confirmName(operator, name))) {
          return writeMessage('Nothing was changed.')
        }
        const report = await operator.deleteAccount(name, { afterMs })
        show(report)
        writeMessage(
          afterMs === 0
            ? 'Everything that the account has is removed in the background while the service runs.'
            : `Everything that it has is removed after ${minuteOf(report.removed_after)} UTC. Until then, stowage accounts resume ${name} restores it.`,
        )
      })
    }
    if (action === 'rename') {
      const [name, newName, ...more] = positionals
      if (name === undefined || newName === undefined || more.length > 0) {
        throw new UsageError('Pass the name and the new name of the account.')
      }
      return operate(async (operator) => show(await operator.renameAccount(name, newName)))
    }
    throw new UsageError(
      action === undefined
        ? 'Pass ls, add, set, suspend, resume, rename or delete.'
        : `Unknown command accounts ${action}.`,
    )
  },
}

/** Null: any number. Undefined: not given. */
function readAssets(given: string | undefined): number | null | undefined {
  if (given === undefined) return undefined
  if (given === 'unlimited') return null
  const assets = /^\d+$/.test(given) ? Number(given) : Number.NaN
  if (Number.isSafeInteger(assets)) return assets
  throw new UsageError(`--assets ${given}: must be a number such as 5000, or unlimited.`)
}

/** How long the account can be restored, in milliseconds. */
function readGrace(values: { in?: string; now?: boolean }): number {
  if (values.now === true) {
    if (values.in !== undefined) throw new UsageError('Pass either --in or --now.')
    return 0
  }
  const given = values.in === undefined ? GRACE_MS : parseDuration(values.in)
  if (given === undefined || given > MAX_GRACE_MS) {
    throw new UsageError(`--in ${values.in}: must be a time such as 7d or 12h, at most 365d.`)
  }
  return given
}

/** The user types the name, because a deletion cannot be undone after its grace period. */
async function confirmName(operator: Operator, name: string): Promise<boolean> {
  const report = (await operator.listAccounts()).find((account) => account.name === name)
  if (report === undefined) return true
  writeMessage(
    `The account ${name} has ${counted(report.assets, 'asset')} (${formatSize(report.stored)}), and all of its orders, webhooks and keys are deleted with it.`,
  )
  return (await prompt('Type the name of the account to delete it: ')) === name
}

function minuteOf(time: string | null): string {
  return time?.slice(0, 16).replace('T', ' ') ?? ''
}

const NUMBERS = ['STORAGE', 'STORED', 'RESERVED', 'FREE', 'ASSETS'].map(
  (head, index) => ({ head, align: 'right', dropOrder: 1 + ((index + 3) % 5) }) as const,
)

function accountTable(reports: AccountReport[]): string {
  const isAnyInactive = reports.some(({ state }) => state !== 'active')
  const states = isAnyInactive ? ['STATE'] : []
  const head = [{ head: 'NAME', minWidth: 8 }, ...states, { head: 'PLAN', minWidth: 4 }, ...NUMBERS]
  return table(
    head,
    reports.map(
      ({ name, state, plan, storage, stored, reserved, available, assets, max_assets }) => [
        name,
        ...(isAnyInactive ? [state] : []),
        plan,
        ...[storage, stored, reserved, available].map(formatSize),
        max_assets === null ? String(assets) : `${assets} of ${max_assets}`,
      ],
    ),
    { columns: tableWidth() },
  )
}
