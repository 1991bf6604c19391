import { type ParseArgsOptionsConfig, parseArgs } from 'node:util'

/** A command of `stowage`. */
export interface Command {
  /** Half a line for the overview. */
  summary: string
  /** The whole page, with examples. */
  help: string
  /** Returns the exit code; throws `UsageError` for what can't be meant. */
  run(commandLine: string[]): Promise<number>
}

/** The command line can't be understood: the help is shown with it. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** Like `parseArgs`, strict, with `--json` everywhere; what is wrong becomes a `UsageError`. */
export function readOptions<const Options extends ParseArgsOptionsConfig>(
  commandLine: string[],
  options: Options,
) {
  try {
    return parseArgs({
      args: commandLine,
      options: { ...options, json: { type: 'boolean' } },
      allowPositionals: true,
      strict: true,
    })
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error))
  }
}

/** The one value that the command is about. */
export function onlyValue(positionals: string[], what: string): string {
  const [value, ...more] = positionals
  if (value === undefined) throw new UsageError(`which ${what}?`)
  if (more.length > 0) throw new UsageError(`one ${what}, please, not ${positionals.join(' ')}`)
  return value
}

export function noValue(positionals: string[]): void {
  if (positionals.length > 0) throw new UsageError(`unexpected: ${positionals.join(' ')}`)
}
