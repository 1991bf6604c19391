import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { readMemory } from '@stowage/testing/machine/memory-watch'
import { COMMAND } from '@stowage/testing/service/stowage-command'
import type { WorkloadContext } from '../workload.ts'

export const API = '/api/v1'

/** More storage than any run needs. */
const PLAN = '1PB'

/**
 * Starts `stowage serve` as users start it, by default with a new data folder. `program` is the path of the CLI; by
 * default, that of this checkout.
 */
export async function startStowage(
  context: WorkloadContext,
  settings: Record<string, string> = {},
  program: string = COMMAND,
): Promise<ServerProcess> {
  const folder = settings.STOWAGE_DATA ?? (await context.folder())
  const server = await startServer(serveCommand({ STOWAGE_DATA: folder, ...settings }, program))
  context.defer(() => server.stop())
  return server
}

export function serveCommand(settings: Record<string, string>, program: string = COMMAND): Command {
  const isDisk = settings.STOWAGE_STORAGE === undefined
  const storagePort = isDisk ? { STOWAGE_STORAGE_PORT: '0' } : {}
  return {
    command: process.execPath,
    args: [program, 'serve'],
    env: { STOWAGE_PLAN_STORAGE: PLAN, STOWAGE_PORT: '0', ...storagePort, ...settings },
  }
}

/** The folder of another checkout of this repository, for example of the last release. */
const { BASELINE: baselineFolder } = process.env

export const BASELINE = 'Baseline'

/** What to start: this checkout and, if BASELINE is set, another one. */
export const CHECKOUTS: { name: string; program: string }[] = [
  { name: 'Stowage', program: COMMAND },
  ...(baselineFolder === undefined
    ? []
    : [{ name: BASELINE, program: join(baselineFolder, 'packages/cli/bin/stowage.js') }]),
]

/** Builds the checkout of this program, and returns the program that `npm start` runs there. */
export async function buildStartProgram(program: string): Promise<string> {
  const root = join(dirname(program), '../../..')
  const { scripts } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'))
  await promisify(execFile)('npm', ['run', '--silent', 'build'], { cwd: root })
  const [, path] = scripts.start.split(' ')
  return join(root, path)
}

export interface ServerProcess {
  url: string
  pid: number
  /** Sends the signal, by default SIGKILL, and waits until the process has exited. */
  stop(signal?: NodeJS.Signals): Promise<void>
}

export interface Command {
  command: string
  args: string[]
  env?: Record<string, string>
}

const URL_PATTERN = /http:\/\/127\.0\.0\.1:\d+/
const START_TIMEOUT_MS = 30_000

/** Starts a server that picks a free port and prints its URL, so that no other program is mistaken for it. */
export async function startServer(command: Command): Promise<ServerProcess> {
  const child = spawnServer(command)
  try {
    const url = await printedUrl(child)
    return { url, pid: child.process.pid ?? 0, stop: (signal) => stopProcess(child, signal) }
  } catch (error) {
    await stopProcess(child)
    throw error
  }
}

interface Spawned {
  process: ChildProcess
  /** The end of the log. Empty until the process has exited. */
  errors(): string
}

/**
 * Starts a server without the STOWAGE_* and NODE_* variables of this process. The server logs to a file: writing to
 * a pipe could make it wait for this process.
 */
export function spawnServer({ command, args, env }: Command): Spawned {
  const folder = mkdtempSync(join(tmpdir(), 'stowage-bench-'))
  const log = openSync(join(folder, 'log'), 'w+')
  const child = spawn(command, args, {
    env: { ...ownEnvironment(), NODE_ENV: 'production', ...env },
    stdio: ['ignore', 'pipe', log],
  })
  closeSync(log)
  let errors = ''
  // Stops the server even if this process exits early, such as after a signal.
  const stop = () => {
    child.kill('SIGTERM')
    rmSync(folder, { recursive: true, force: true })
  }
  process.once('exit', stop)
  child.once('exit', () => {
    process.off('exit', stop)
    errors = readFileSync(join(folder, 'log'), 'utf8').slice(-2000)
    rmSync(folder, { recursive: true, force: true })
  })
  return { process: child, errors: () => errors }
}

/** The environment of this process, without the STOWAGE_* and NODE_* variables. */
function ownEnvironment(): NodeJS.ProcessEnv {
  const entries = Object.entries(process.env).filter(([name]) => !/^(STOWAGE_|NODE_)/.test(name))
  return Object.fromEntries(entries)
}

function printedUrl(
  { process: child, errors }: Spawned,
  timeoutMs = START_TIMEOUT_MS,
): Promise<string> {
  const name = child.spawnargs.join(' ')
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`${name} did not print a URL`)), timeoutMs)
    timer.unref()
    child.once('error', reject)
    child.once('exit', () => reject(new Error(`${name} exited: ${errors()}`)))
    let text = ''
    child.stdout?.on('data', (more) => {
      text += more
      const url = URL_PATTERN.exec(text)?.[0]
      if (url === undefined) return
      clearTimeout(timer)
      resolve(url)
    })
  })
}

export async function stopProcess(
  { process: child }: Spawned,
  signal: NodeJS.Signals = 'SIGKILL',
): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill(signal)
  await ended
}

/** The unit of /proc/PID/stat: `getconf CLK_TCK`. */
const TICKS_PER_SECOND = 100

export interface Usage {
  cpuSeconds: number
  /** The maximum resident set size, in MB. */
  peakMegabytes: number
}

/** Makes the peak memory that `watchUsage` returns the peak since now instead of since the start of the process. */
export async function resetPeakMemory(pid: number): Promise<void> {
  await writeFile(`/proc/${pid}/clear_refs`, '5')
}

/**
 * Runs the work. Returns the CPU time of the processes during the work, and their peak memory since they started, both
 * summed over all processes.
 */
export async function watchUsage<Result>(
  pids: number[],
  work: () => Promise<Result>,
): Promise<Usage & { result: Result }> {
  const before = await cpuSecondsOf(pids)
  const result = await work()
  const cpuSeconds = (await cpuSecondsOf(pids)) - before
  const peaks = await Promise.all(pids.map((pid) => readMemory(pid, 'VmHWM')))
  return { result, cpuSeconds, peakMegabytes: sum(peaks) / 1e6 }
}

/** VmHWM cannot be read after the exit, so it is read at this interval. */
const SAMPLE_MS = 20

/** Runs a program to its end. Throws if it fails. No other child process may exit meanwhile. */
export async function runProgram({ command, args, env }: Command): Promise<Usage> {
  const before = await readChildrenSeconds()
  const child = spawn(command, args, {
    env: { ...ownEnvironment(), ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let errors = ''
  child.stderr.on('data', (text) => {
    errors += text
  })
  let peak = 0
  const timer = setInterval(async () => {
    peak = Math.max(peak, await readMemory(child.pid ?? 0, 'VmHWM').catch(() => 0))
  }, SAMPLE_MS)
  const [code] = await once(child, 'close').finally(() => clearInterval(timer))
  if (code !== 0) throw new Error(`${command} exited with ${code}: ${errors.slice(-2000)}`)
  return { cpuSeconds: (await readChildrenSeconds()) - before, peakMegabytes: peak / 1e6 }
}

/** CPU time of the child processes that have exited. */
async function readChildrenSeconds(): Promise<number> {
  const [userTime, systemTime] = (await statOf('self')).slice(13)
  return (Number(userTime) + Number(systemTime)) / TICKS_PER_SECOND
}

async function cpuSecondsOf(pids: number[]): Promise<number> {
  return sum(await Promise.all(pids.map(readCpuSeconds)))
}

/** CPU time of a process with all its threads, including those that have exited. */
export async function readCpuSeconds(pid: number): Promise<number> {
  const [userTime, systemTime] = (await statOf(pid)).slice(11)
  return (Number(userTime) + Number(systemTime)) / TICKS_PER_SECOND
}

/** The fields after the name. It may contain spaces and parentheses, so fields are counted from the last parenthesis. */
async function statOf(process: number | 'self'): Promise<string[]> {
  const stat = await readFile(`/proc/${process}/stat`, 'utf8')
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')
}

function sum(values: number[]): number {
  return values.reduce((total, value) => total + value, 0)
}
