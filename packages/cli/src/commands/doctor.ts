import { styleText } from 'node:util'
import type { Finding } from '@stowage/server'
import { showProgress } from '../terminal/show-progress.ts'
import { type Command, readOptions, refuseArguments } from '../usage.ts'

const OPTIONS = {
  fix: { type: 'boolean' },
  repair: { type: 'boolean' },
  verify: { type: 'boolean' },
} as const

export const doctor: Command = {
  help: `stowage doctor: check settings, database and storage for problems

Usage:
  stowage doctor [--fix] [--repair] [--verify]

  --fix       set the bucket's rules: CORS for browsers, and a lifecycle rule that removes abandoned
              uploads
  --repair    repair without data loss: remove uploads that cannot be completed and objects of
              deleted, cancelled or expired assets (never an object that the database does not
              know), recount the usage of accounts, and mark missing events as removed:
              readers that need them then get 410 events_forgotten
  --verify    also read every file, compare it with its SHA-256 and, on disk storage, with the
              digests of its parts, and record the result
  --json      a JSON array of findings: {check, status, message, items, remedy}. The status is ok,
              note, pending, error or fixed

The command checks the database and the storage in the STOWAGE_* variables, even while the service
is running. Without --fix, --repair and --verify it changes nothing, except that it writes a small
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
    const server = await import('@stowage/server')
    const findings: Finding[] = []
    const progress = showProgress()
    const code = await server.doctor({
      fix,
      repair,
      verify,
      onFinding(finding) {
        progress.clear()
        findings.push(finding)
        if (!json) process.stdout.write(linesOf(finding))
      },
      onProgress: progress.show,
    })
    progress.clear()
    if (json) process.stdout.write(`${JSON.stringify(findings.map(presentFinding), null, 2)}\n`)
    else if (findings.length > 0) process.stdout.write(conclusion(findings))
    return code
  },
}

const STATUSES = {
  well: ['ok', 'green'],
  note: ['note', 'yellow'],
  pending: ['pending', 'yellow'],
  wrong: ['error', 'red'],
  mended: ['fixed', 'green'],
} as const satisfies Record<Finding['verdict'], [string, string]>
const LABEL_WIDTH = 8
const MAX_ITEMS = 20

/** `about`, `verdict` and `says` are the names of earlier versions. */
function presentFinding(finding: Finding) {
  const { about, verdict, says, items, remedy } = finding
  const [status] = STATUSES[verdict]
  return { check: checkOf(finding), status, message: says, items, remedy, about, verdict, says }
}

function checkOf({ about }: Finding): string {
  return about === 'books' ? 'usage' : about
}

function linesOf(finding: Finding): string {
  const { verdict, says, items = [], remedy } = finding
  const [status, color] = STATUSES[verdict]
  const label = verdict === 'wrong' ? status.toUpperCase() : status
  const shown = items.slice(0, MAX_ITEMS)
  const more = items.length - shown.length
  const indent = ' '.repeat(LABEL_WIDTH)
  const lines = [
    `${styleText(color, label.padEnd(LABEL_WIDTH))}${checkOf(finding)}: ${says}`,
    ...shown.map((item) => `${indent}- ${item}`),
    ...(more > 0 ? [`${indent}- and ${more} more (--json lists all)`] : []),
    ...(remedy?.split('\n').map((line) => `${indent}> ${line}`) ?? []),
  ]
  return `${lines.join('\n')}\n`
}

function conclusion(findings: Finding[]): string {
  const count = (verdict: Finding['verdict']) =>
    findings.filter((finding) => finding.verdict === verdict).length
  const wrong = count('wrong')
  const fixed = count('mended')
  const problems = wrong === 1 ? '1 problem' : `${wrong === 0 ? 'no' : wrong} problems`
  return `\n${fixed > 0 ? `${fixed} fixed, ` : ''}${problems}\n`
}
