import { formatSize, parseSize } from '@stowage/protocol/format'
import type { AccountReport } from '@stowage/server'
import { tableWidth, writeData } from '../output.ts'
import { table } from '../terminal/table.ts'
import {
  type Command,
  readOptions,
  refuseArguments,
  requireOneArgument,
  UsageError,
} from '../usage.ts'

const OPTIONS = { plan: { type: 'string' }, storage: { type: 'string' } } as const

export const accounts: Command = {
  help: `stowage accounts: list, add, change, suspend and rename accounts

Usage:
  stowage accounts ls
  stowage accounts add NAME [--storage SIZE] [--plan NAME]
  stowage accounts set NAME [--storage SIZE] [--plan NAME]
  stowage accounts suspend NAME
  stowage accounts resume NAME
  stowage accounts rename NAME NEWNAME

  --storage   the storage of the plan, such as 500GB (default for a new account: 1TB)
  --plan      the name of the plan (default for a new account: "default")
  --json      JSON instead of a table

Changes take effect immediately, even while the service is running. If a plan has less storage than
the account uses, nothing is deleted, but new uploads are refused. list is an alias of ls.

A suspended account can be read, but not changed: its keys get 403 account_suspended. Buyers still
download, unfinished uploads are kept, and mails, webhooks and changes that were queued before are
still done. resume ends it.

The command uses the database set in the STOWAGE_* variables (default: the one in ./data) and shows
which one that is. It does not create a database: run stowage serve first.

Examples:
  stowage accounts add presets --storage 200GB --plan studio
  stowage accounts set presets --storage 1TB
  stowage accounts suspend presets
  stowage accounts ls --json
`,
  async run([action, ...commandLine]) {
    const { values, positionals } = readOptions(commandLine, OPTIONS)
    const { operate } = await import('@stowage/server')
    const storage = values.storage === undefined ? undefined : parseSize(values.storage)
    if (values.storage !== undefined && storage === undefined) {
      throw new UsageError(`--storage ${values.storage}: must be a size such as 500GB.`)
    }
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
      const details = { name, plan: plan ?? 'default', storage: storage ?? 1e12 }
      return operate(async (operator) => show(await operator.addAccount(details)))
    }
    if (action === 'set') {
      const name = requireOneArgument(positionals, 'name')
      const change = {
        ...(plan !== undefined && { plan }),
        ...(storage !== undefined && { storage }),
      }
      if (Object.keys(change).length === 0)
        throw new UsageError('Nothing to set. Pass --storage or --plan.')
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
    if (action === 'rename') {
      const [name, newName, ...more] = positionals
      if (name === undefined || newName === undefined || more.length > 0) {
        throw new UsageError('Pass the name and the new name of the account.')
      }
      return operate(async (operator) => show(await operator.renameAccount(name, newName)))
    }
    throw new UsageError(
      action === undefined
        ? 'Pass ls, add, set, suspend, resume or rename.'
        : `Unknown command accounts ${action}.`,
    )
  },
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
    reports.map(({ name, state, plan, storage, stored, reserved, available, assets }) => [
      name,
      ...(isAnyInactive ? [state] : []),
      plan,
      ...[storage, stored, reserved, available].map(formatSize),
      String(assets),
    ]),
    { columns: tableWidth() },
  )
}
