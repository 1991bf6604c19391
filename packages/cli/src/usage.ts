import { type ParseArgsOptionsConfig, parseArgs } from 'node:util'
import { closestOf, editDistance } from '@stowage/server/text'

/** A command of `stowage`. */
export interface Command {
  /** The whole page, with examples. */
  help: string
  /** Returns the exit code; throws `UsageError` for what can't be meant, `CommandFailed` for the rest. */
  run(commandLine: string[]): Promise<number>
}

/** The command line can't be understood: where the help is is said with it. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** It can't be done: the message says why, and what to do. */
export class CommandFailed extends Error {
  override readonly name = 'CommandFailed'
}

/** A full disk, a folder that can't be written to: no bug of ours, and nothing that a stack tells. */
export function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'syscall' in error
}

/** Like `parseArgs`, strict, with `--json` everywhere; what is wrong becomes a `UsageError`. */
export function readOptions<const Options extends ParseArgsOptionsConfig>(
  commandLine: string[],
  options: Options,
) {
  const known = { ...options, json: { type: 'boolean' } } as const
  try {
    return parseArgs({
      args: commandLine,
      options: known,
      allowPositionals: true,
      strict: true,
      tokens: true,
    })
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    const unknown = /^Unknown option '(--?[^']+)'/.exec(message)?.[1]
    if (unknown === undefined) throw new UsageError(message)
    const names = Object.keys(known).map((name) => `--${name}`)
    throw new UsageError(`there is no option ${unknown}${suggestion(unknown, names)}`)
  }
}

/** `; did you mean ls?`, or nothing when nothing is near. */
export function suggestion(word: string, known: readonly string[]): string {
  const near =
    known.find((name) => name.length > 2 && word.length > 1 && name.startsWith(word)) ??
    closestOf(word, known)
  const isNear = near.startsWith(word) || editDistance(word, near) <= Math.ceil(word.length / 3)
  return isNear && near !== '' && word !== '' ? `; did you mean ${near}?` : ''
}

/** The one value that the command is about. */
export function requireOneArgument(positionals: string[], what: string): string {
  const [value, ...more] = positionals
  if (value === undefined) throw new UsageError(`which ${what}?`)
  if (more.length > 0) throw new UsageError(`one ${what}, please, not ${positionals.join(' ')}`)
  return value
}

/** At least one of them. */
export function requireArguments(positionals: string[], what: string): string[] {
  if (positionals.length === 0) throw new UsageError(`which ${what}?`)
  return positionals
}

export function refuseArguments(positionals: string[]): void {
  if (positionals.length > 0) throw new UsageError(`unexpected: ${positionals.join(' ')}`)
}

/** A whole number of 1 or more. */
export function readCount(text: string | undefined, option: string): number | undefined {
  if (text === undefined) return undefined
  const count = Number(text)
  if (Number.isSafeInteger(count) && count >= 1) return count
  throw new UsageError(`${option} ${text}: must be a whole number of 1 or more`)
}

export function readChoice<Choice extends string>(
  text: string | undefined,
  option: string,
  choices: readonly Choice[],
): Choice | undefined {
  if (text === undefined) return undefined
  const choice = choices.find((known) => known === text)
  if (choice !== undefined) return choice
  throw new UsageError(`${option} ${text}: must be one of ${choices.join(', ')}`)
}
