import { flushCompileCache } from 'node:module'
import { setTimeout as pause } from 'node:timers/promises'
import manifest from '../package.json' with { type: 'json' }
import type { BackupSummary } from './backup/backup.ts'
import type { CheckSummary } from './backup/check-backup.ts'
import type { Service } from './compose.ts'
import { type Config, ConfigError, readConfig } from './config/config.ts'
import { describeDatabase, startupMessage } from './config/describe.ts'
import type { OrphanHandling } from './doctor/doctor-context.ts'
import { EngineUnavailable, ServiceError } from './domain/errors.ts'
import type { Finding } from './domain/finding.ts'
import { startListenerThread } from './engines/open-engines.ts'
import type { MoveResult } from './move/move.ts'
import { SHUTDOWN_TIMEOUT_MS } from './node-http/connections.ts'
import type { ConfirmAdoption } from './operator/adopt.ts'
import type { BackupOptions } from './operator/backup.ts'
import type { MoveOptions } from './operator/move.ts'
import type { Operator } from './operator/operator.ts'
import type { RestoreOptions, RestoreResult } from './operator/restore.ts'

export type { BackupProgress, BackupSummary } from './backup/backup.ts'
export type { CheckSummary } from './backup/check-backup.ts'
export type { OrphanHandling } from './doctor/doctor-context.ts'
export type { Finding } from './domain/finding.ts'
export type { MoveProgress, MoveResult } from './move/move.ts'
export type { AccountReport, KeyReport, Operator } from './operator/operator.ts'
export type { RestoreResult } from './operator/restore.ts'

/** How long the engines may take to close, after running work has ended or was interrupted. */
const GRACE_MS = 3_000

/** Exit codes of every command. */
export const EXIT = { done: 0, failed: 1, usage: 2, skipped: 3 } as const

/** Runs the service as configured by the environment until a signal or a fatal error ends it. Returns the exit code. */
export async function serve({ dashboard }: { dashboard: URL }): Promise<number> {
  let finish: (code: number) => void = () => {}
  const finished = new Promise<number>((resolve) => {
    finish = resolve
  })
  let service: Service
  let announce: Announce
  try {
    const config = readConfig(process.env)
    // Its start takes as long as loading all other modules, so it starts first.
    const listenerThread = await startListenerThread(config)
    const [log, { openService }] = await Promise.all([
      import('./process/log.ts'),
      import('./compose.ts'),
    ])
    const logger = await log.openLog(config.logLevel)
    announce = (level, message) => log.announce(logger, level, message)
    const { version } = manifest
    const onFatal = () => finish(1)
    service = await openService({ config, logger, version, dashboard, listenerThread, onFatal })
    // The compile cache is written now, because the process may be killed later.
    flushCompileCache()
    process.stdout.write(startupMessage(service, version, config))
    warnOfUnreachable(service, announce)
  } catch (error) {
    return explain(error)
  }
  onSignals(announce, () => finish(0))
  const code = await finished
  await Promise.race([
    service.close(),
    pause(SHUTDOWN_TIMEOUT_MS + GRACE_MS, undefined, { ref: false }),
  ])
  return code
}

type Announce = (level: 'info' | 'warn', message: string) => void

/** `0.0.0.0` is an address to listen on, but clients cannot connect to it. */
function warnOfUnreachable({ baseUrl, storageUrl }: Service, announce: Announce): void {
  const urls = { STOWAGE_BASE_URL: baseUrl, STOWAGE_STORAGE_URL: storageUrl }
  for (const [name, url] of Object.entries(urls)) {
    if (/^https?:\/\/(0\.0\.0\.0|\[::\])/.test(url)) {
      const message = `clients cannot reach ${url}; set ${name} to a URL that they can reach`
      announce('warn', message)
    }
  }
}

/** The first signal shuts down gracefully, the second immediately. */
function onSignals(announce: Announce, end: () => void): void {
  let isEnding = false
  // SIGBREAK is Ctrl-Break on Windows, which has no SIGTERM.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGBREAK'] as const) {
    process.on(signal, () => {
      if (isEnding) process.exit(130)
      isEnding = true
      announce('info', 'shutting down; press Ctrl-C again to force quit')
      end()
    })
  }
}

/** Shows which database the command uses, because a wrong one is easy to miss. */
function readAndShowConfig(label = 'Database'): Config {
  const config = readConfig(process.env)
  process.stderr.write(`${label}: ${describeDatabase(config)}\n`)
  return config
}

/** Runs a command on the configured database. Returns the exit code. */
export async function operate(work: (operator: Operator) => Promise<void>): Promise<number> {
  try {
    const { openOperator } = await import('./compose.ts')
    const operator = await openOperator(readAndShowConfig())
    try {
      await work(operator)
    } finally {
      await operator.close()
    }
    return EXIT.done
  } catch (error) {
    return explain(error)
  }
}

export interface DoctorOptions {
  fix: boolean
  repair: boolean
  verify: boolean
  orphans: OrphanHandling | undefined
  onFinding(finding: Finding): void
  onProgress(text: string): void
}

/** Examines the configured service. Returns the exit code: failed if anything is wrong. */
export async function doctor({ onFinding, ...options }: DoctorOptions): Promise<number> {
  try {
    const { examine } = await import('./compose.ts')
    let isWrong = false
    for await (const finding of examine({ config: readAndShowConfig(), ...options })) {
      onFinding(finding)
      if (finding.status === 'error') isWrong = true
    }
    return isWrong ? EXIT.failed : EXIT.done
  } catch (error) {
    // The error is reported as a finding, so that the findings before it do not look complete.
    onFinding(toFinding(error))
    return error instanceof ConfigError ? EXIT.usage : EXIT.failed
  }
}

function toFinding(error: unknown): Finding {
  if (error instanceof ConfigError) {
    const message = 'invalid configuration'
    return { check: 'settings', status: 'error', message, items: error.problems }
  }
  const check = error instanceof EngineUnavailable ? error.engine : 'settings'
  const cause = error instanceof Error && error.cause ? ` (${error.cause})` : ''
  const message = `the check could not be finished: ${error instanceof Error ? error.message : error}${cause}`
  return { check, status: 'error', message, remedy: 'stowage doctor' }
}

/** Moves a data folder to the configured database and storage. Returns the exit code: `skipped` if files are missing. */
export async function move(
  options: MoveOptions & { onMoved(moved: MoveResult): void; onFailed(): void },
): Promise<number> {
  try {
    const { move: moveTo } = await import('./operator/move.ts')
    const moved = await moveTo(readAndShowConfig('Target'), options)
    options.onMoved(moved)
    return moved.damaged.length > 0 ? EXIT.skipped : EXIT.done
  } catch (error) {
    options.onFailed()
    return explain(error)
  }
}

/** Backs up the configured service. Returns the exit code: `skipped` if files of the service are damaged or missing. */
export async function backup(
  options: Omit<BackupOptions, 'version'> & {
    onDone(summary: BackupSummary): void
    onFailed(): void
  },
): Promise<number> {
  try {
    const { backup: backUp } = await import('./operator/backup.ts')
    const summary = await backUp(readAndShowConfig(), { ...options, version: manifest.version })
    options.onDone(summary)
    return summary.damagedTotal > 0 ? EXIT.skipped : EXIT.done
  } catch (error) {
    options.onFailed()
    return explain(error)
  }
}

/** Reads all generations of a backup. Returns the exit code: failed if anything is damaged or missing. */
export async function checkBackup(
  options: Pick<BackupOptions, 'folder' | 'onProgress'> & {
    onDone(summary: CheckSummary): void
    onFailed(): void
  },
): Promise<number> {
  try {
    const { check } = await import('./operator/backup.ts')
    const summary = await check(options.folder, options.onProgress)
    options.onDone(summary)
    return summary.problemsTotal > 0 ? EXIT.failed : EXIT.done
  } catch (error) {
    options.onFailed()
    return explain(error)
  }
}

/** Restores a backup into the configured database and storage. Returns the exit code: `skipped` if files are missing. */
export async function restore(
  options: RestoreOptions & { onDone(result: RestoreResult): void; onFailed(): void },
): Promise<number> {
  try {
    const { restore: restoreBackup } = await import('./operator/restore.ts')
    const result = await restoreBackup(readAndShowConfig('Target'), options)
    options.onDone(result)
    return result.damaged.length > 0 ? EXIT.skipped : EXIT.done
  } catch (error) {
    options.onFailed()
    return explain(error)
  }
}

/** Creates or migrates the configured database. Returns the exit code. */
export async function migrate(options: {
  onStep(text: string): void
  onDone(applied: string[]): void
}): Promise<number> {
  try {
    const { migrate: migrateDatabase } = await import('./compose.ts')
    const config = readAndShowConfig()
    options.onDone(
      await migrateDatabase(config, (message, facts) =>
        options.onStep(describeStep(message, facts)),
      ),
    )
    return EXIT.done
  } catch (error) {
    return explain(error)
  }
}

/** `upgrading the database: migration 0021_name.sql, step 1, of 3`. */
function describeStep(message: string, facts: Record<string, string | number>): string {
  const details = Object.entries(facts).map(([name, value]) => `${name} ${value}`)
  return details.length === 0 ? message : `${message}: ${details.join(', ')}`
}

/** Binds the configured storage to the configured database. Returns the exit code. */
export async function adopt(options: {
  confirm: ConfirmAdoption
  onDone(outcome: 'adopted' | 'unchanged' | 'declined'): void
}): Promise<number> {
  try {
    const { adopt: adoptStorage } = await import('./operator/adopt.ts')
    const outcome = await adoptStorage(readAndShowConfig(), options.confirm)
    options.onDone(outcome)
    return outcome === 'declined' ? EXIT.failed : EXIT.done
  } catch (error) {
    return explain(error)
  }
}

/** For a refusal the message is enough; for any other error the cause is printed too. */
function explain(error: unknown): number {
  const isRefusal = error instanceof ConfigError || error instanceof ServiceError
  const text = error instanceof Error ? error.message : String(error)
  process.stderr.write(`stowage: ${text}\n`)
  if (!isRefusal && error instanceof Error && error.cause) {
    process.stderr.write(`  Cause: ${error.cause}\n`)
  }
  return error instanceof ConfigError ? EXIT.usage : EXIT.failed
}
