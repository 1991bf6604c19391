import manifest from '../package.json' with { type: 'json' }
import { accounts } from './commands/accounts.ts'
import { doctor } from './commands/doctor.ts'
import { keys } from './commands/keys.ts'
import { move } from './commands/move.ts'
import { serve } from './commands/serve.ts'
import { type Command, UsageError } from './usage.ts'

const COMMANDS: Record<string, Command> = { serve, accounts, keys, doctor, move }

const HELP = `stowage ${manifest.version}: stores digital assets and links them to products

Usage:
${Object.entries(COMMANDS)
  .map(([name, { summary }]) => `  stowage ${name.padEnd(10)}  ${summary}`)
  .join('\n')}

  stowage COMMAND --help        more about a command
  stowage --version

The settings come from STOWAGE_* variables.
Exit codes: 0 done · 1 failed · 2 wrong usage or settings
`

/** Returns the exit code. */
export async function run(commandLine: string[]): Promise<number> {
  const [name = '', ...rest] = commandLine
  if (name === '--version' || name === 'version') return print(`${manifest.version}\n`)
  if (name === '--help' || name === '-h' || name === 'help') return print(HELP)
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined
  if (command === undefined) {
    return refuse(name === '' ? 'which command?' : `there is no command ${name}`, HELP)
  }
  if (rest.includes('--help') || rest.includes('-h')) return print(command.help)
  try {
    return await command.run(rest)
  } catch (error) {
    if (error instanceof UsageError) return refuse(error.message, command.help)
    throw error
  }
}

function print(text: string): number {
  process.stdout.write(text)
  return 0
}

function refuse(problem: string, help: string): number {
  process.stderr.write(`stowage: ${problem}\n\n${help}`)
  return 2
}
