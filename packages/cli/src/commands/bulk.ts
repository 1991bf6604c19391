import type { BulkJob, BulkJobRequest } from '@stowage/client'
import type { NodeClient } from '@stowage/client/node'
import { FILTER_HELP, FILTER_OPTIONS, readFilters } from '../assets.ts'
import { CONNECTION_HELP, CONNECTION_OPTIONS, withClient } from '../connection.ts'
import { counted, formatMinute, tableWidth, writeData, writeItem, writeMessage } from '../output.ts'
import { getProducts } from '../products.ts'
import { confirm, isInteractive } from '../terminal/prompt.ts'
import { sanitize } from '../terminal/sanitize.ts'
import { table } from '../terminal/table.ts'
import {
  type Command,
  omitUndefined,
  readOptions,
  refuseArguments,
  requireOneArgument,
  UsageError,
} from '../usage.ts'

const OPTIONS = {
  ...CONNECTION_OPTIONS,
  ...FILTER_OPTIONS,
  trashed: { type: 'boolean' },
  tags: { type: 'string', multiple: true },
  product: { type: 'string', multiple: true },
  to: { type: 'string' },
  permanent: { type: 'boolean' },
  yes: { type: 'boolean', short: 'y' },
} as const

const readBulkOptions = (commandLine: string[]) => readOptions(commandLine, OPTIONS)
type Values = ReturnType<typeof readBulkOptions>['values']

const ACTIONS = ['delete', 'restore', 'attach', 'detach', 'tag', 'untag', 'move'] as const
type Action = (typeof ACTIONS)[number]

export const bulk: Command = {
  help: `stowage bulk: change all assets that match a filter

Usage:
  stowage bulk delete|restore [FILTERS] [--permanent] [--yes]
  stowage bulk attach|detach --product SKU|ID [FILTERS] [--yes]
  stowage bulk tag|untag --tags TAG [FILTERS] [--yes]
  stowage bulk move --to FOLDER [FILTERS] [--yes]
  stowage bulk ls
  stowage bulk undo|cancel ID

${FILTER_HELP}
  --trashed     the assets in the trash
  --product     attach, detach: a product, as in stowage attach. It can be repeated
  --tags        tag, untag: a tag. It can be repeated
  --to          move: the new folder; '' for none
  --permanent   delete: remove the assets immediately. They cannot be restored
  -y, --yes     do not ask for confirmation. Required if not run in a terminal
${CONNECTION_HELP}
  --json        the change as a JSON object; ls: a JSON array

Without filters, all assets match. The service changes the assets that match when the command
starts, in the background, and the command waits until all of them are done. If it is interrupted,
the service continues: stowage bulk ls shows the progress, and cancel stops it. undo changes exactly
those assets back that were changed, for 7 days, unless they were deleted permanently.

Examples:
  stowage bulk tag --path course --tags autumn
  stowage bulk delete --search draft --unattached
  stowage bulk undo 01981d2c-7b11-7d02-8c4e-2a5f90c1d3e8
`,
  async run([action, ...commandLine]) {
    const { values, positionals } = readBulkOptions(commandLine)
    if (action === 'ls' || action === 'list') {
      refuseArguments(positionals)
      return listJobs(values)
    }
    if (action === 'undo' || action === 'cancel') {
      return endJob(action, requireOneArgument(positionals, 'change'), values)
    }
    const known = ACTIONS.find((one) => one === action)
    if (known === undefined) {
      throw new UsageError(
        action === undefined ? 'No action given.' : `Unknown command bulk ${action}.`,
      )
    }
    refuseArguments(positionals)
    return change(known, values)
  },
}

async function change(action: Action, values: Values): Promise<number> {
  const { json = false, yes = false } = values
  const filter = omitUndefined({ ...readFilters(values), trashed: values.trashed })
  if (!yes && !isInteractive())
    throw new UsageError('Not interactive. Pass --yes to change all matches without asking.')
  return withClient(values, async (client) => {
    const request = { action, filter, ...(await readValues(action, values, client)) }
    const { meta } = await client.assets({ ...filter, limit: 1, exact_total: true }).page()
    const assets = counted(meta.total, 'asset')
    if (!yes && !(await confirm(`${sanitize(action)}: change ${assets}?`))) {
      writeMessage('Nothing was changed.')
      return 1
    }
    const body: BulkJobRequest = { ...request, expected: meta.total }
    return report(await client.bulk(body, { onProgress: showProgress }), json)
  })
}

/** The options that belong to the action. Others are refused. */
async function readValues(action: Action, values: Values, client: NodeClient) {
  const { tags, product, to, permanent } = values
  const given = omitUndefined({ tags, product, to, permanent })
  const [own] = (
    {
      delete: ['permanent'],
      restore: [],
      attach: ['product'],
      detach: ['product'],
      tag: ['tags'],
      untag: ['tags'],
      move: ['to'],
    } as const
  )[action]
  const other = Object.keys(given).find((name) => name !== own)
  if (other !== undefined) throw new UsageError(`--${other} cannot be used with ${action}.`)
  if (own !== undefined && own !== 'permanent' && !Object.hasOwn(given, own)) {
    throw new UsageError(`Pass --${own}.`)
  }
  if (product !== undefined) return (await getProducts(client, product)).references
  return omitUndefined({ tags, permanent, path: to === '' ? null : to })
}

async function listJobs(values: Values): Promise<number> {
  const { json = false } = values
  return withClient(values, async (client) => {
    const jobs = await client.bulkJobs()
    writeData(jobs, { json, text: jobTable(jobs) })
    if (jobs.length === 0 && !json) writeMessage('No results.')
    return 0
  })
}

function jobTable(jobs: BulkJob[]): string {
  return table(
    [
      { head: 'ID', minWidth: 36 },
      { head: 'ACTION' },
      { head: 'STATUS' },
      { head: 'DONE', align: 'right' },
      { head: 'CHANGED', align: 'right' },
      { head: 'STARTED' },
    ],
    jobs.map((job) => [
      job.id,
      job.action,
      job.status,
      `${job.done}/${job.total}`,
      `${job.changed}`,
      formatMinute(job.created_at),
    ]),
    { columns: tableWidth() },
  )
}

async function endJob(action: 'undo' | 'cancel', id: string, values: Values): Promise<number> {
  const { json = false } = values
  return withClient(values, async (client) => {
    const job =
      action === 'cancel'
        ? await client.cancelBulk(id)
        : await client.undoBulk(id, { onProgress: showProgress })
    return report(job, json)
  })
}

function showProgress({ status, done, total }: BulkJob): void {
  if (status === 'running') writeMessage(`${done} of ${counted(total, 'asset')} done.`)
}

function report(job: BulkJob, json: boolean): number {
  const { id, action, status, changed, skipped, error } = job
  const text = `${id}  ${action} ${status}: ${changed} changed, ${skipped} skipped`
  writeItem(job, { json, text: sanitize(text) })
  if (error !== null) writeMessage(sanitize(error.message))
  else if (job.can_undo && !json) writeMessage(`To undo it: stowage bulk undo ${id}`)
  return error === null ? 0 : 1
}
