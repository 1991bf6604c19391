import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

/** The script that `npx stowage` starts. */
export const COMMAND = fileURLToPath(new URL('../../../cli/bin/stowage.js', import.meta.url))

/** Runs `stowage` with these settings in addition to the environment. */
export function stowage(
  settings: Record<string, string>,
  ...commandLine: string[]
): Promise<Outcome> {
  // The CLI refuses unknown settings, such as those that select the engines of the tests.
  const own = Object.entries(process.env).filter(([name]) => !name.startsWith('STOWAGE_TEST_'))
  const env = { ...(Object.fromEntries(own) as Record<string, string>), ...settings }
  return runCommand({ words: commandLine, env, cwd: process.cwd(), input: '' })
}

const PROGRAM = fileURLToPath(new URL('command-process.ts', import.meta.url))

let shared: ChildProcess | undefined
let last: Promise<unknown> = Promise.resolve()

/**
 * Runs a command of the CLI in a process that all tests of this process share: starting a process for each
 * command takes ten times as long as most commands. Fails if the command keeps resources open that would
 * prevent the end of its own process. Concurrent commands run one after the other. Tests that send
 * signals, use a terminal or measure the process start their own.
 */
export function runCommand(request: CommandRequest): Promise<Outcome> {
  const outcome = last.then(() => ask(request))
  last = outcome.catch(() => {})
  return outcome
}

async function ask(request: CommandRequest): Promise<Outcome> {
  shared ??= start()
  const child = shared
  const waiting = new AbortController()
  const { signal } = waiting
  child.channel?.ref()
  try {
    const ended = once(child, 'exit', { signal }).then(([code]) => {
      throw new Error(`The process ended with code ${code} during ${request.words.join(' ')}`)
    })
    const received = once(child, 'message', { signal })
    child.send(request)
    const [response] = (await Promise.race([received, ended])) as [CommandResponse]
    const { open, ...outcome } = response
    if (open.length > 0) {
      throw new Error(`stowage ${request.words.join(' ')} does not end, because of ${open}`)
    }
    return outcome
  } catch (error) {
    // The next command gets a new process.
    child.kill('SIGKILL')
    shared = undefined
    throw error
  } finally {
    waiting.abort()
    child.channel?.unref()
  }
}

/** The new process ends when this one ends, because the channel is closed then. */
function start(): ChildProcess {
  const child = fork(PROGRAM, {
    // By default, it would get the options of this process, such as --test.
    execArgv: [],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    serialization: 'advanced',
  })
  child.unref()
  child.channel?.unref()
  return child
}

/** The message from a test to the process that runs commands. */
export interface CommandRequest {
  words: string[]
  env: Record<string, string>
  cwd: string
  /** The standard input. */
  input: string | Uint8Array
}

export interface Outcome {
  code: number
  stdout: string
  stderr: string
}

export interface CommandResponse extends Outcome {
  /** The kinds of resources that the command keeps open, which would prevent the end of its own process. */
  open: string[]
}
