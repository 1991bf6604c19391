import { styleText } from 'node:util'
import type { Finding, OrphanHandling } from '@stowage/server'
import { counted, writeMessage } from '../output.ts'
import { showProgress } from '../terminal/live-lines.ts'
import { confirm, isInteractive } from '../terminal/prompt.ts'
import { sanitize } from '../terminal/sanitize.ts'
import { type Command, readOptions, refuseArguments, UsageError } from '../usage.ts'

const OPTIONS = {
  fix: { type: 'boolean' },
  repair: { type: 'boolean' },
  verify: { type: 'boolean' },
  'import-orphans': { type: 'boolean' },
  'remove-orphans': { type: 'boolean' },
  account: { type: 'string' },
  yes: { type: 'boolean', short: 'y' },
} as const

export const doctor: Command = {
  help: `stowage doctor: check settings, database and storage for problems

Usage:
  stowage doctor [--fix] [--repair] [--verify]
  stowage doctor --import-orphans [--account NAME]
  stowage doctor --remove-orphans [--yes]

  --fix       set the bucket's rules: CORS for browsers, and a lifecycle rule that removes abandoned
              uploads. On Ceph, --fix removes that lifecycle rule instead,
              because the rule could destroy files
  --repair    repair without data loss: remove uploads that cannot be completed and objects of
              deleted, cancelled or expired assets (never an object that the database does not
              know), bring back deleted objects of files from the versions in the bucket,
              close uploads that are still open although their files are stored,
              recount the usage of accounts, and mark missing events as removed:
              readers that need them then get 410 events_forgotten
  --verify    also read every file, compare it with its SHA-256 and, on disk storage, with the
              digests of its parts, and record the result
  --import-orphans
              make assets of the objects that belong to no asset, such as those of files that were
              uploaded after the backup that was restored. Their names are lost: they are in the
              folder “recovered” of the account (--account, default: default)
  --remove-orphans
              list these objects, ask, and remove them for good; --yes does not ask
  --json      a JSON array of findings: {check, status, message, items, remedy}. The status is ok,
              note, pending, error or fixed

The command checks the database and the storage in the STOWAGE_* variables, even while the service
is running. Without an option it changes nothing, except that it writes a small
object to the bucket and deletes it.

Exit codes: 0 no problems, or all fixed · 1 problems remain · 2 wrong usage or settings

Examples:
  stowage doctor
  stowage doctor --fix
  stowage doctor --repair --json
`,
  async run(commandLine) {
    const { values, positionals } = readOptions(commandLine, OPTIONS)
    refuseArguments(positionals)
    const { fix = false, repair = false, verify = false, json = false } = values
    const orphans = readOrphans(values)
    const server = await import('@stowage/server')
    const findings: Finding[] = []
    const progress = showProgress()
    const code = await server.doctor({
      fix,
      repair,
      verify,
      orphans,
      onFinding(finding) {
        progress.clear()
        findings.push(finding)
        if (!json) process.stdout.write(linesOf(finding))
      },
      onProgress: progress.show,
    })
    progress.clear()
    if (json) process.stdout.write(`${JSON.stringify(findings, null, 2)}\n`)
    else if (findings.length > 0) process.stdout.write(conclusion(findings))
    return code
  },
}

const MAX_ORPHANS = 1_000

/** What to do with objects that belong to no asset. */
function readOrphans(values: {
  'import-orphans'?: boolean
  'remove-orphans'?: boolean
  account?: string
  yes?: boolean
}): OrphanHandling | undefined {
  const { account, yes = false } = values
  const isImport = values['import-orphans'] === true
  const isRemoval = values['remove-orphans'] === true
  if (isImport && isRemoval)
    throw new UsageError('Choose one of --import-orphans and --remove-orphans.')
  if (account !== undefined && !isImport) throw new UsageError('--account needs --import-orphans.')
  if (yes && !isRemoval) throw new UsageError('--yes needs --remove-orphans.')
  if (isImport) return { kind: 'import', account: account ?? 'default' }
  if (!isRemoval) return undefined
  if (!yes && !isInteractive())
    throw new UsageError('Not interactive. Pass --yes to remove without confirmation.')
  return { kind: 'remove', confirm: async (objects) => yes || confirmRemoval(objects) }
}

async function confirmRemoval(objects: string[]): Promise<boolean> {
  for (const object of objects.slice(0, MAX_ORPHANS)) writeMessage(sanitize(`- ${object}`))
  const more = objects.length - MAX_ORPHANS
  if (more > 0) writeMessage(`- and ${more} more`)
  return confirm(
    `Remove ${counted(objects.length, 'object')} for good? No asset refers to ${objects.length === 1 ? 'it' : 'them'}.`,
  )
}

const COLORS = {
  ok: 'green',
  note: 'yellow',
  pending: 'yellow',
  error: 'red',
  fixed: 'green',
} as const satisfies Record<Finding['status'], string>
const LABEL_WIDTH = 8
const MAX_ITEMS = 20

function linesOf({ check, status, message, items = [], remedy }: Finding): string {
  const label = status === 'error' ? status.toUpperCase() : status
  const shown = items.slice(0, MAX_ITEMS)
  const more = items.length - shown.length
  const indent = ' '.repeat(LABEL_WIDTH)
  const lines = [
    `${styleText(COLORS[status], label.padEnd(LABEL_WIDTH))}${check}: ${message}`,
    ...shown.map((item) => `${indent}- ${item}`),
    ...(more > 0 ? [`${indent}- and ${more} more (--json lists all)`] : []),
    ...(remedy?.split('\n').map((line) => `${indent}> ${line}`) ?? []),
  ]
  return `${lines.join('\n')}\n`
}

function conclusion(findings: Finding[]): string {
  const count = (status: Finding['status']) =>
    findings.filter((finding) => finding.status === status).length
  const errors = count('error')
  const fixed = count('fixed')
  const problems = errors === 0 ? 'no problems' : counted(errors, 'problem')
  return `\n${fixed > 0 ? `${fixed} fixed, ` : ''}${problems}\n`
}
