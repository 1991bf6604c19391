import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import type { TestContext } from 'node:test'
import { aFolder, cleanUp } from '@stowage/testing/machine/clean-up'
import { COMMAND, type Outcome, runCommand } from '@stowage/testing/service/stowage-command'

export interface RunOptions {
  env?: Record<string, string>
  cwd?: string
  /** Written to standard input, which is then closed. */
  input?: string | Buffer
}

export interface Running {
  child: ChildProcess
  pid: number
  /** The output so far. */
  output(): { stdout: string; stderr: string }
  /** Sends a signal, if one is given, and waits for the exit. */
  end(signal?: NodeJS.Signals): Promise<Outcome>
}

export interface Cli {
  /** A temporary home folder: that of the machine is neither read nor written. */
  home: string
  /** The current folder. */
  folder: string
  /** Runs a command in a process that other commands share. */
  run(...words: string[]): Promise<Outcome>
  runWith(options: RunOptions, ...words: string[]): Promise<Outcome>
  /** Runs a command in its own process. */
  start(options: RunOptions, ...words: string[]): Running
  /** Runs on a pseudo-terminal. `stdout` contains both outputs, as a person sees them. */
  startOnTerminal(options: RunOptions & { columns?: number }, ...words: string[]): Running
}

/** Runs `stowage` with a temporary home folder, on this service. */
export async function aCli(t: TestContext, baseUrl?: string): Promise<Cli> {
  const home = await aFolder(t)
  const folder = await aFolder(t)
  const kept = Object.entries(process.env).filter(([name]) => !/^(STOWAGE_|XDG_|npm_)/.test(name))
  const base: Record<string, string> = {
    ...(Object.fromEntries(kept) as Record<string, string>),
    HOME: home,
    TERM: 'xterm-256color',
    LC_ALL: 'C.UTF-8',
    ...(baseUrl !== undefined && { STOWAGE_URL: baseUrl }),
  }

  function launch(
    program: string,
    words: string[],
    { env, cwd = folder, input }: RunOptions,
  ): Running {
    const child = spawn(program, words, { env: { ...base, ...env }, cwd })
    const closed = once(child, 'close')
    let stdout = ''
    let stderr = ''
    child.stdout.setEncoding('utf8').on('data', (text) => {
      stdout += text
    })
    child.stderr.setEncoding('utf8').on('data', (text) => {
      stderr += text
    })
    child.stdin.on('error', () => {})
    if (program !== 'script') child.stdin.end(input ?? '')
    cleanUp(t, async () => {
      if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL')
      await closed
    })
    return {
      child,
      pid: child.pid ?? 0,
      output: () => ({ stdout, stderr }),
      async end(signal) {
        if (signal !== undefined) child.kill(signal)
        const [code] = await closed
        return { code: code ?? -1, stdout, stderr }
      },
    }
  }

  const start = (options: RunOptions, ...words: string[]) =>
    launch(process.execPath, [COMMAND, ...words], options)
  const runWith = ({ env, cwd = folder, input = '' }: RunOptions, ...words: string[]) =>
    runCommand({ words, env: { ...base, ...env }, cwd, input })
  return {
    home,
    folder,
    start,
    runWith,
    run: (...words) => runWith({}, ...words),
    startOnTerminal({ columns = 80, ...options }, ...words) {
      const quote = (word: string) => `'${word.replaceAll("'", `'\\''`)}'`
      const command = [process.execPath, COMMAND, ...words].map(quote).join(' ')
      const line = `stty cols ${columns} rows 24; exec ${command}`
      return launch('script', ['-qec', line, '/dev/null'], options)
    },
  }
}
