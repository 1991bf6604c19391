import { formatSize, parseSize } from '@stowage/protocol/format'
import type { AccountReport } from '@stowage/server'
import { tableWidth, writeData } from '../output.ts'
import { table } from '../text/table.ts'
import {
  type Command,
  readOptions,
  refuseArguments,
  requireOneArgument,
  UsageError,
} from '../usage.ts'

const OPTIONS = { plan: { type: 'string' }, storage: { type: 'string' } } as const

export const accounts: Command = {
  help: `stowage accounts: the accounts of the service and their plans

Usage:
  stowage accounts list
  stowage accounts add NAME [--storage SIZE] [--plan NAME]
  stowage accounts set NAME [--storage SIZE] [--plan NAME]

  --storage   what the plan allows, such as 500GB (1TB when an account is added)
  --plan      what the plan is called
  --json      JSON instead of a table

It works while the service runs, and takes effect at once. A plan below what is stored only stops
new uploads.

Examples:
  stowage accounts add presets --storage 200GB --plan studio
  stowage accounts set presets --storage 1TB
  stowage accounts list --json
`,
  async run([action, ...commandLine]) {
    const { values, positionals } = readOptions(commandLine, OPTIONS)
    const { operate } = await import('@stowage/server')
    const storage = values.storage === undefined ? undefined : parseSize(values.storage)
    if (values.storage !== undefined && storage === undefined) {
      throw new UsageError(`--storage ${values.storage}: must be a size such as 500GB`)
    }
    const { plan } = values
    const json = values.json === true
    const show = (reports: AccountReport[]) => {
      const text = accountTable(reports)
      writeData(action === 'list' ? reports : reports[0], { json, text })
    }
    if (action === 'list') {
      refuseArguments(positionals)
      return operate(async (operator) => show(await operator.listAccounts()))
    }
    if (action === 'add') {
      const name = requireOneArgument(positionals, 'name')
      const details = { name, plan: plan ?? 'default', storage: storage ?? 1e12 }
      return operate(async (operator) => show([await operator.addAccount(details)]))
    }
    if (action === 'set') {
      const name = requireOneArgument(positionals, 'name')
      const change = {
        ...(plan !== undefined && { plan }),
        ...(storage !== undefined && { storage }),
      }
      if (Object.keys(change).length === 0) throw new UsageError('set what? --storage or --plan')
      return operate(async (operator) => show([await operator.setPlan(name, change)]))
    }
    throw new UsageError(
      action === undefined ? 'list, add or set?' : `there is no accounts ${action}`,
    )
  },
}

const NUMBERS = ['STORAGE', 'STORED', 'RESERVED', 'FREE', 'ASSETS'].map(
  (head, index) => ({ head, align: 'right', leaves: 1 + ((index + 3) % 5) }) as const,
)

function accountTable(reports: AccountReport[]): string {
  const head = [{ head: 'NAME', least: 8 }, { head: 'PLAN', least: 4 }, ...NUMBERS]
  return table(
    head,
    reports.map(({ name, plan, storage, stored, reserved, available, assets }) => [
      name,
      plan,
      ...[storage, stored, reserved, available].map(formatSize),
      String(assets),
    ]),
    { columns: tableWidth() },
  )
}
