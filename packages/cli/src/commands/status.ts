import type { ServiceStatus } from '@stowage/client'
import { formatDuration, formatSize } from '@stowage/protocol/format'
import { CONNECTION_HELP, CONNECTION_OPTIONS, withClient } from '../connection.ts'
import { counted, formatMinute, tableWidth, writeData } from '../output.ts'
import { sanitize } from '../terminal/sanitize.ts'
import { table } from '../terminal/table.ts'
import { type Command, readOptions, refuseArguments } from '../usage.ts'

export const status: Command = {
  help: `stowage status: show the instances, queues, failures, disk, backups and accounts

Usage:
  stowage status [--json]

${CONNECTION_HELP}
  --json        the status as JSON, with sizes in bytes and times in seconds

The key must be the operator's: STOWAGE_ADMIN_KEY of the service. The exit code is 0, also if the
service has problems.

Examples:
  stowage status
  stowage status --json | jq -r '.instances[] | "\\(.name) \\(.version)"'
`,
  async run(commandLine) {
    const { values, positionals } = readOptions(commandLine, CONNECTION_OPTIONS)
    refuseArguments(positionals)
    return withClient(values, async (client, { url }) => {
      const details = await client.serviceStatus()
      writeData(details, { json: values.json === true, text: textOf(details, url) })
      return 0
    })
  },
}

/** An instance reports every minute. */
const LATE_SECONDS = 180

function textOf(details: ServiceStatus, url: string): string {
  const { now, instances, queues, failures, disk, backups, totals, accounts } = details
  const problems = instances.flatMap(({ name, problems }) =>
    problems.map((problem) => `  ${sanitize(name)}: ${sanitize(problem)}`),
  )
  const waiting = queues.filter(({ length }) => length > 0)
  const failed = Object.entries(failures).filter(([, count]) => count > 0)
  return [
    `Stowage ${details.version} at ${url}`,
    section('Instances', instanceTable(instances, now)),
    ...(problems.length > 0 ? [section('Problems', problems.join('\n'))] : []),
    section(
      'Waiting',
      waiting.length === 0
        ? '  nothing'
        : waiting.map((queue) => `  ${queueText(queue)}`).join('\n'),
    ),
    section(
      'Failures',
      failed.length === 0
        ? '  none'
        : failed.map(([name, count]) => `  ${count} ${name.replaceAll('_', ' ')}`).join('\n'),
    ),
    ...(disk === null ? [] : [section('Disk', `  ${diskText(disk)}`)]),
    section('Backups', backupText(backups)),
    section(
      'Accounts',
      `  ${totals.accounts} with ${formatSize(totals.stored)} in ${counted(totals.assets, 'asset')}, ${counted(totals.uploads, 'unfinished upload')}\n\n${accountTable(accounts)}`,
    ),
  ].join('\n\n')
}

function section(title: string, text: string): string {
  return `${title}\n${text}`
}

function instanceTable(instances: ServiceStatus['instances'], now: string): string {
  const rows = instances.map(({ name, version, started_at, seen_at }) => {
    const seconds = (Date.parse(now) - Date.parse(seen_at)) / 1000
    const seen = seconds > LATE_SECONDS ? `not since ${formatMinute(seen_at)}` : 'running'
    return [name, version, formatMinute(started_at), seen]
  })
  return table(['name', 'version', 'started', 'state'], rows, { columns: tableWidth() })
}

function queueText({ name, length, age }: ServiceStatus['queues'][number]): string {
  return `${name}: ${length}, the oldest for ${formatDuration(age * 1000)}`
}

function diskText({ free, full_at }: NonNullable<ServiceStatus['disk']>): string {
  const forecast = full_at === null ? '' : `, full at about ${formatMinute(full_at)}`
  return `${formatSize(free)} free${forecast}`
}

/** The age is that of the last complete one. */
function backupText(backups: ServiceStatus['backups']): string {
  const last = backups.find(({ state }) => state === 'complete')
  const summary =
    last === undefined
      ? '  no complete backup by stowage backup'
      : `  the last complete one is ${formatDuration(last.age * 1000)} old`
  if (backups.length === 0) return summary
  const right = (head: string) => ({ head, align: 'right' }) as const
  const rows = backups.map(({ state, started_at, files, bytes, damaged, folder }) => [
    formatMinute(started_at),
    damaged > 0 ? `${state}, ${damaged} damaged` : state,
    state === 'complete' ? `${files}` : '',
    state === 'complete' ? formatSize(bytes) : '',
    folder,
  ])
  const head = ['started', 'state', right('files'), right('size'), 'folder']
  return `${summary}\n\n${table(head, rows, { columns: tableWidth() })}`
}

function accountTable(accounts: ServiceStatus['accounts']): string {
  const right = (head: string) => ({ head, align: 'right' }) as const
  const rows = accounts.map(({ name, plan, stored, reserved, trash, assets }) => [
    name,
    formatSize(stored),
    formatSize(reserved),
    formatSize(trash),
    formatSize(plan.storage),
    `${assets}`,
  ])
  const head = [
    'name',
    right('stored'),
    right('reserved'),
    right('trash'),
    right('plan'),
    right('assets'),
  ]
  return table(head, rows, { columns: tableWidth() })
}
