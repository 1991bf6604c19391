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
  help: `stowage doctor: what is wrong with the service, and what mends it

Usage:
  stowage doctor [--fix] [--repair] [--verify]

  --fix       set the rules of the bucket: CORS for browsers, and an end for forgotten uploads
  --repair    put right what can be put right without losing anything: remove uploads that nobody
              can finish and objects of assets that have ended, count again what accounts use
  --verify    also read every byte of every file (on disk: against the digests of its parts)
  --json      JSON instead of lines

It looks at what the STOWAGE_* variables name, while the service runs or not. Without --fix and
--repair it changes nothing, but for a small object in a bucket that it puts there and takes away.

Exit codes: 0 nothing is wrong · 1 something is wrong, or is not mended yet · 2 wrong settings

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
    if (json) process.stdout.write(`${JSON.stringify(findings, null, 2)}\n`)
    else if (findings.length > 0) process.stdout.write(conclusion(findings))
    return code
  },
}

const WORDS = {
  well: ['ok', 'green'],
  note: ['note', 'yellow'],
  pending: ['later', 'yellow'],
  wrong: ['WRONG', 'red'],
  mended: ['mended', 'green'],
} as const satisfies Record<Finding['verdict'], [string, string]>
const WORD_WIDTH = 8
const MOST_ITEMS = 20

function linesOf({ verdict, about, says, items = [], remedy }: Finding): string {
  const [word, colour] = WORDS[verdict]
  const shown = items.slice(0, MOST_ITEMS)
  const more = items.length - shown.length
  const indent = ' '.repeat(WORD_WIDTH)
  const lines = [
    `${styleText(colour, word.padEnd(WORD_WIDTH))}${about}: ${says}`,
    ...shown.map((item) => `${indent}- ${item}`),
    ...(more > 0 ? [`${indent}- and ${more} more (--json has all)`] : []),
    ...(remedy?.split('\n').map((line) => `${indent}> ${line}`) ?? []),
  ]
  return `${lines.join('\n')}\n`
}

function conclusion(findings: Finding[]): string {
  const count = (verdict: Finding['verdict']) =>
    findings.filter((finding) => finding.verdict === verdict).length
  const wrong = count('wrong')
  const mended = count('mended')
  const mending = mended > 0 ? `${mended} mended, ` : ''
  return `\n${mending}${wrong === 0 ? 'nothing is wrong' : `${wrong} wrong`}\n`
}
