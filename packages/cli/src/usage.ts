import { type ParseArgsOptionsConfig, parseArgs } from 'node:util'
import { closestOf, editDistance } from '@stowage/server/text'

export interface Command {
  /** The text of `--help`, with examples. */
  help: string
  /** Returns the exit code. Throws `UsageError`, `CommandFailed` or an error of the operating system. */
  run(commandLine: string[]): Promise<number>
}

/** The command line is wrong. The message is shown with a hint to use `--help`; the exit code is 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** The command failed. The message gives the reason and what to do; the exit code is 1. */
export class CommandFailed extends Error {
  override readonly name = 'CommandFailed'
}

/** An error of the operating system, such as a full disk: its message is shown without a stack. */
export function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'syscall' in error
}

/** Like a strict `parseArgs`, with `--json` added. Throws `UsageError` for a wrong command line. */
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
    throw new UsageError(`Unknown option ${unknown}.${suggestion(unknown, names)}`)
  }
}

/** ` Did you mean ls?`, or nothing if no known word is similar. */
export function suggestion(word: string, known: readonly string[]): string {
  const near =
    known.find((name) => name.length > 2 && word.length > 1 && name.startsWith(word)) ??
    closestOf(word, known)
  const isNear = near.startsWith(word) || editDistance(word, near) <= Math.ceil(word.length / 3)
  return isNear && near !== '' && word !== '' ? ` Did you mean ${near}?` : ''
}

/** Returns the only argument. */
export function requireOneArgument(positionals: string[], what: string): string {
  const [value, ...more] = positionals
  if (value === undefined) throw new UsageError(`No ${what} given.`)
  if (more.length > 0)
    throw new UsageError(
      `Expected one ${what}, got ${positionals.length}: ${positionals.join(' ')}`,
    )
  return value
}

/** Returns the arguments, of which there must be at least one. */
export function requireArguments(positionals: string[], what: string): string[] {
  if (positionals.length === 0) throw new UsageError(`No ${what} given.`)
  return positionals
}

export function refuseArguments(positionals: string[]): void {
  if (positionals.length > 0) throw new UsageError(`Unexpected argument: ${positionals.join(' ')}`)
}

/** Parses a whole number of 1 or more. */
export function readCount(text: string | undefined, option: string): number | undefined {
  if (text === undefined) return undefined
  const count = Number(text)
  if (Number.isSafeInteger(count) && count >= 1) return count
  throw new UsageError(`${option} ${text}: must be a whole number of 1 or more.`)
}

interface LimitOptions {
  limit?: string | undefined
  all?: boolean | undefined
}

/** The maximum length of a list: undefined with `--all`, 25 by default. */
export function readLimit({ limit, all = false }: LimitOptions): number | undefined {
  const count = readCount(limit, '--limit')
  if (all && count !== undefined) throw new UsageError('Pass either --limit or --all.')
  return all ? undefined : (count ?? 25)
}

/** The part of a name that filters a list. */
export function readName(positionals: string[]): string | undefined {
  if (positionals.length <= 1) return positionals[0]
  throw new UsageError(`Expected one name, got ${positionals.length}: ${positionals.join(' ')}`)
}

export function readChoice<Choice extends string>(
  text: string | undefined,
  option: string,
  choices: readonly Choice[],
): Choice | undefined {
  if (text === undefined) return undefined
  const choice = choices.find((known) => known === text)
  if (choice !== undefined) return choice
  throw new UsageError(`${option} ${text}: must be one of ${choices.join(', ')}.`)
}

/** Returns the object without its undefined values. */
export function omitUndefined<Some extends object>(
  some: Some,
): { [Name in keyof Some]?: Exclude<Some[Name], undefined> } {
  const entries = Object.entries(some).filter(([, value]) => value !== undefined)
  return Object.fromEntries(entries) as { [Name in keyof Some]?: Exclude<Some[Name], undefined> }
}
