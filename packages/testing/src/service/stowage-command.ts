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
  return runCommand(toRequest(settings, commandLine))
}

/** Like `stowage`, but of a newer version, which has one more migration. It adds the column `identity.newer`. */
export function newerStowage(
  settings: Record<string, string>,
  ...commandLine: string[]
): Promise<Outcome> {
  return newerCommands(toRequest(settings, commandLine))
}

function toRequest(settings: Record<string, string>, words: string[]): CommandRequest {
  // The CLI refuses unknown settings, such as those that select the engines of the tests.
  const own = Object.entries(process.env).filter(([name]) => !name.startsWith('STOWAGE_TEST_'))
  const env = { ...(Object.fromEntries(own) as Record<string, string>), ...settings }
  return { words, env, cwd: process.cwd(), input: '' }
}

const PROGRAM = fileURLToPath(new URL('command-process.ts', import.meta.url))

/**
 * Runs a command of the CLI in a process that all tests of this process share: starting a process for each
 * command takes ten times as long as most commands. Fails if the command keeps resources open that would
 * prevent the end of its own process. Concurrent commands run one after the other. Tests that send
 * signals, use a terminal or measure the process start their own.
 */
export const runCommand = openCommandProcess([])

/** The options of Node for a process of a newer version: see `newerStowage`. */
export const NEWER_VERSION = ['--import', new URL('newer-version.ts', import.meta.url).href]

const newerCommands = openCommandProcess(NEWER_VERSION)

/** The process starts with the first command. */
function openCommandProcess(nodeOptions: string[]): (request: CommandRequest) => Promise<Outcome> {
  const holder: Holder = { nodeOptions }
  let last: Promise<unknown> = Promise.resolve()
  return (request) => {
    const outcome = last.then(() => ask(holder, request))
    last = outcome.catch(() => {})
    return outcome
  }
}

interface Holder {
  nodeOptions: string[]
  child?: ChildProcess
}

async function ask(holder: Holder, request: CommandRequest): Promise<Outcome> {
  holder.child ??= start(holder)
  const { child } = holder
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
    delete holder.child
    throw error
  } finally {
    waiting.abort()
    child.channel?.unref()
  }
}

/** The new process ends when this one ends, because the channel is closed then. */
function start({ nodeOptions }: Holder): ChildProcess {
  const child = fork(PROGRAM, {
    // By default, it would get the options of this process, such as --test.
    execArgv: nodeOptions,
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
