import { formatSize } from '@stowage/protocol/format'
import type { BackupProgress, BackupSummary, CheckSummary } from '@stowage/server'
import { counted, writeData, writeMessage } from '../output.ts'
import { showProgress } from '../terminal/live-lines.ts'
import { sanitize } from '../terminal/sanitize.ts'
import { type Command, readOptions, UsageError } from '../usage.ts'

const OPTIONS = {
  objects: { type: 'boolean' },
  copy: { type: 'boolean' },
  keep: { type: 'string' },
  adopt: { type: 'boolean' },
  check: { type: 'boolean' },
} as const

const KEEP = 7

export const backup: Command = {
  help: `stowage backup: back up a service while it runs, and check backups

Usage:
  stowage backup FOLDER [--objects] [--copy] [--keep N] [--adopt]
  stowage backup --check FOLDER

  --objects   also copy the objects of a bucket. Without it, the backup of a service on S3 lists its
              objects, and a restore needs the bucket. The files of the disk storage are always
              backed up
  --copy      copy files even if they could be hard links, which share the disk with the service
  --keep N    keep the newest N backups in the folder, and remove older ones (default: 7)
  --adopt     continue the backups of a database from which this one was restored
  --check     read everything in the folder and compare it with its digests; needs no settings
  --json      the summary as JSON

The command backs up the database and the storage in the STOWAGE_* variables. The rows are those of
one moment. Files that an earlier backup in the folder has are not copied again. After an
interruption, run the same command again: it continues.

The folder contains secrets and personal data, and only its owner can read it. Keep a copy of it on
another machine.

Exit codes: 0 complete · 1 failed, or --check found problems · 2 wrong usage or settings ·
3 complete, but files of the service are damaged or missing · 130 interrupted

Examples:
  stowage backup /backups/stowage
  stowage backup --check /backups/stowage
`,
  async run(commandLine) {
    const { values, positionals } = readOptions(commandLine, OPTIONS)
    const [folder, ...rest] = positionals
    if (folder === undefined || rest.length > 0) throw new UsageError('Name one folder.')
    const { objects = false, copy = false, adopt = false, json = false } = values
    if (values.check) {
      const other = (['objects', 'copy', 'keep', 'adopt'] as const).find((name) => name in values)
      if (other !== undefined) throw new UsageError(`--check does not take --${other}.`)
    }
    const keep = readKeep(values.keep)
    const server = await import('@stowage/server')
    const progress = showProgress()
    const onProgress = (now: BackupProgress) => progress.show(describe(now))
    const onFailed = progress.clear
    if (values.check) {
      return server.checkBackup({
        folder,
        onProgress,
        onFailed,
        onDone(summary) {
          progress.clear()
          writeData(summary, { json, text: checkText(summary) })
        },
      })
    }
    return server.backup({
      folder,
      objects,
      copy,
      adopt,
      keep,
      onProgress,
      onFailed,
      onDone(summary) {
        progress.clear()
        writeData(summary, { json, text: summaryText(summary) })
        for (const line of notes(summary)) writeMessage(line)
      },
    })
  },
}

function readKeep(text: string | undefined): number {
  if (text === undefined) return KEEP
  const keep = Number(text)
  if (/^\d+$/.test(text) && keep >= 1 && keep <= 1000) return keep
  throw new UsageError('--keep takes a number from 1 to 1000.')
}

function describe({ phase, part, files, bytes, totalBytes }: BackupProgress): string {
  if (phase === 'database') {
    return part === undefined
      ? 'copying the database'
      : `copying the database: ${Math.floor(part * 100)} %`
  }
  const total = totalBytes > 0 ? ` of ${formatSize(totalBytes)}` : ''
  return `${counted(files, 'file')}, ${formatSize(bytes)}${total}`
}

function summaryText(summary: BackupSummary): string {
  const { folder, generation, files, bytes, bytesCopied, bytesLinked, objects } = summary
  const listed = objects === 'stored' ? '' : ' listed, in the bucket'
  const linked = bytesLinked > 0 ? `, linked: ${formatSize(bytesLinked)}` : ''
  const copied = objects === 'stored' ? ` (copied: ${formatSize(bytesCopied)}${linked})` : ''
  return `Backup ${generation} in ${sanitize(folder)}: ${counted(files, 'file')}${listed}, ${formatSize(bytes)}${copied}`
}

const MAX_LISTED = 20

function notes({
  damaged,
  damagedTotal,
  bytesLinked,
  hasSecretKey,
  objects,
  removedGenerations,
}: BackupSummary): string[] {
  const lines: string[] = []
  if (removedGenerations.length > 0) lines.push(`Removed: ${removedGenerations.join(', ')}`)
  if (hasSecretKey) {
    lines.push(
      'The backup contains the key that encrypts secrets in the database. Who can read the folder can read these secrets.',
    )
  } else {
    lines.push(
      'The backup does not contain STOWAGE_SECRET_KEY. Keep a copy of this setting: a restore needs it.',
    )
  }
  if (bytesLinked > 0) {
    lines.push(
      'Files are hard links on the disk of the service. Copy the folder to another machine, or back up to another disk.',
    )
  }
  if (objects === 'listed') {
    lines.push(
      'The objects are only in the bucket. Protect it with versions, or copy them with --objects.',
    )
  }
  if (damagedTotal === 0) return lines
  const more = damagedTotal - MAX_LISTED
  return [
    ...lines,
    `Files of the service that are damaged or missing: ${damagedTotal}. An earlier backup may have them: stowage restore FOLDER --generation NAME`,
    ...damaged
      .slice(0, MAX_LISTED)
      .map(({ id, filename, version, reason }) =>
        sanitize(`- ${id} ${filename} (version ${version}): ${reason}`),
      ),
    ...(more > 0 ? [`- and ${more} more`] : []),
  ]
}

function checkText({
  generations,
  files,
  bytes,
  listed,
  problems,
  problemsTotal,
}: CheckSummary): string {
  const more = problemsTotal - MAX_LISTED
  const inBucket = listed > 0 ? `; ${counted(listed, 'file is', 'files are')} only listed` : ''
  return [
    ...generations.map((one) => {
      const damaged = one.damaged > 0 ? `, damaged or missing in the service: ${one.damaged}` : ''
      return `${one.name}: ${counted(one.files, 'file')}, ${formatSize(one.bytes)}${damaged}`
    }),
    ...problems.slice(0, MAX_LISTED).map((problem) => sanitize(`PROBLEM ${problem}`)),
    ...(more > 0 ? [`- and ${more} more (--json lists them)`] : []),
    problemsTotal === 0
      ? `Everything is intact: ${counted(files, 'object')}, ${formatSize(bytes)} read${inBucket}`
      : `${counted(problemsTotal, 'problem')}. Remove a damaged object from the folder, and the next backup copies it again`,
  ].join('\n')
}
