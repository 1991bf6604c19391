import type { KeyReport, Operator } from '@stowage/server'
import { readExpiry } from '../orders.ts'
import { tableWidth, writeData, writeMessage } from '../output.ts'
import { table } from '../terminal/table.ts'
import {
  type Command,
  readOptions,
  refuseArguments,
  requireOneArgument,
  UsageError,
} from '../usage.ts'

const OPTIONS = {
  account: { type: 'string', default: 'default' },
  name: { type: 'string' },
  scope: { type: 'string' },
  expires: { type: 'string' },
} as const

const SCOPES = ['read', 'write', 'manage'] as const

interface KeyCommand {
  account: string
  name: string | undefined
  scope: string | undefined
  expires: string | undefined
  positionals: string[]
  json: boolean
}

export const keys: Command = {
  help: `stowage keys: list, add and revoke the API keys of an account

Usage:
  stowage keys ls [--account NAME]
  stowage keys add --name TEXT --scope read|write|manage [--expires TIME] [--account NAME]
  stowage keys revoke ID [--account NAME]

  --account   the account of the keys (default: the account named "default")
  --name      what the key is for
  --scope     what the key allows; write includes read, manage includes both
  --expires   when the key stops working: 90d from now, a day such as 2030-12-31, or never
  --json      JSON instead of a table

The secret is shown only once, when the key is added, and is not stored. Changes take effect
immediately, even while the service is running. The upload tokens that a key has created end with
it, when it is revoked or expires. list is an alias of ls.

The command uses the database set in the STOWAGE_* variables (default: the one in ./data) and shows
which one that is. It does not create a database: run stowage serve first.

Examples:
  stowage keys add --name "shop backend" --scope write
  stowage keys add --name "agency" --scope read --expires 90d
  stowage keys add --name admin --scope manage --account presets --json
  stowage keys revoke 01981d2c-5a7e-7b21-8c3d-1e2f3a4b5c6d
`,
  async run([action, ...commandLine]) {
    const { values, positionals } = readOptions(commandLine, OPTIONS)
    const { account, name, scope, expires } = values
    const command = { account, name, scope, expires, positionals, json: values.json === true }
    const work = checkAction(action, command)
    const { operate } = await import('@stowage/server')
    return operate(work)
  },
}

/** Checks the command line before the database is opened. */
function checkAction(
  action: string | undefined,
  command: KeyCommand,
): (operator: Operator) => Promise<void> {
  const { account, positionals, json } = command
  if (action === 'ls' || action === 'list') {
    refuseArguments(positionals)
    return async (operator) => {
      const reports = await operator.listKeys(account)
      writeData(reports, { json, text: keyTable(reports) })
    }
  }
  if (action === 'add') {
    refuseArguments(positionals)
    const scope = SCOPES.find((known) => known === command.scope)
    const { name } = command
    if (name === undefined)
      throw new UsageError('No name given. Pass --name to describe what the key is for.')
    if (scope === undefined) throw new UsageError(`--scope must be one of ${SCOPES.join(', ')}.`)
    const given = readExpiry(command.expires, 'To end a key, use stowage keys revoke.')
    const expiresAt = given == null ? null : new Date(given)
    return async (operator) => {
      const key = await operator.addKey(account, { name, scope, expiresAt })
      const until = key.expires_at === null ? '' : `, until ${minuteOf(key.expires_at)} UTC`
      writeMessage(
        `Key ${key.id} of ${account}, scope ${scope}${until}. The secret is shown only this time:`,
      )
      writeData(key, { json, text: key.secret })
    }
  }
  if (action === 'revoke') {
    const id = requireOneArgument(positionals, 'key ID')
    return async (operator) => {
      await operator.revokeKey(account, id)
      writeData({ id, revoked: true }, { json, text: `${id} revoked` })
      writeMessage('The upload tokens that this key has created no longer work.')
    }
  }
  throw new UsageError(
    action === undefined ? 'Pass ls, add or revoke.' : `Unknown command keys ${action}.`,
  )
}

function keyTable(reports: KeyReport[]): string {
  return table(
    [
      'ID',
      { head: 'NAME', minWidth: 8 },
      'SCOPE',
      { head: 'KEY', dropOrder: 1 },
      { head: 'CREATED', dropOrder: 4 },
      { head: 'LAST USED', dropOrder: 3 },
      { head: 'EXPIRES', dropOrder: 3 },
      { head: 'REVOKED', dropOrder: 2 },
    ],
    reports.map((key) => [
      key.id,
      key.name,
      key.scope,
      key.hint,
      minuteOf(key.created_at),
      minuteOf(key.last_used_at),
      minuteOf(key.expires_at),
      minuteOf(key.revoked_at),
    ]),
    { columns: tableWidth() },
  )
}

function minuteOf(time: string | null): string {
  return time?.slice(0, 16).replace('T', ' ') ?? '-'
}
