import manifest from '../package.json' with { type: 'json' }
import { COMMANDS, type CommandName, isCommand, OPERATOR_COMMANDS } from './commands.ts'
import { sanitize } from './terminal/sanitize.ts'
import { CommandFailed, isSystemError, suggestion, UsageError } from './usage.ts'

/** Commands with an action `ls`, such as `stowage keys ls`, accept the same alias. */
const ALIASES: Record<string, CommandName> = { list: 'ls' }

/** Names that other programs use for these commands. */
const OTHER_NAMES: Record<string, CommandName> = {
  cp: 'upload',
  delete: 'rm',
  download: 'get',
  info: 'show',
  link: 'attach',
  mv: 'rename',
  put: 'upload',
  remove: 'rm',
  start: 'serve',
  unlink: 'detach',
}

/** Returns the exit code. */
export async function run(commandLine: string[]): Promise<number> {
  const [first = '', ...rest] = commandLine
  if (first === '--version' || first === 'version') return print(`${manifest.version}\n`)
  const asksForHelp = first === '--help' || first === '-h' || first === 'help'
  const word = asksForHelp ? (rest[0] ?? '') : first
  const name = Object.hasOwn(ALIASES, word) ? (ALIASES[word] ?? word) : word
  if (asksForHelp && name === '') return print(overview())
  if (!isCommand(name)) {
    if (name === '') return refuse(`No command given.\n\n${overview()}`)
    const near = Object.hasOwn(OTHER_NAMES, name)
      ? ` Did you mean ${OTHER_NAMES[name]}?`
      : suggestion(name, Object.keys(COMMANDS))
    return refuse(`Unknown command ${name}.${near}\nRun stowage --help for a list of commands.\n`)
  }
  const command = await COMMANDS[name].load()
  if (asksForHelp || hasHelpOption(rest)) return print(command.help)
  try {
    return await command.run(rest)
  } catch (error) {
    if (error instanceof UsageError) {
      return refuse(`${error.message}\nRun stowage ${name} --help for usage.\n`)
    }
    if (!(error instanceof CommandFailed || isSystemError(error))) throw error
    // Messages of the operating system contain file names, which are not trusted.
    const message = error instanceof CommandFailed ? error.message : sanitize(error.message)
    process.stderr.write(`stowage: ${message}\n`)
    return 1
  }
}

/** Words after `--` are never options. */
function hasHelpOption(commandLine: string[]): boolean {
  const end = commandLine.indexOf('--')
  const options = end === -1 ? commandLine : commandLine.slice(0, end)
  return options.includes('--help') || options.includes('-h')
}

function overview(): string {
  const lines = (names: CommandName[]) =>
    names.map((name) => `  stowage ${name.padEnd(10)}  ${COMMANDS[name].summary}`).join('\n')
  const names = Object.keys(COMMANDS) as CommandName[]
  return `stowage ${manifest.version}: stores digital assets and attaches them to products

Commands that use a service, as set by \`stowage login\` or STOWAGE_URL and STOWAGE_API_KEY (default:
http://127.0.0.1:4000):
${lines(names.filter((name) => !OPERATOR_COMMANDS.includes(name)))}

Commands that run and maintain a service, with the settings from STOWAGE_* variables:
${lines(names.filter((name) => OPERATOR_COMMANDS.includes(name)))}

  stowage COMMAND --help        help for a command
  stowage --version

Usage: stowage COMMAND [OPTIONS]; every command except serve supports --json
Exit codes: 0 success · 1 failure · 2 wrong usage or settings · 130 interrupted. Commands that open a
database of an older version refuse it with 1: see stowage migrate --help
`
}

function print(text: string): number {
  process.stdout.write(text)
  return 0
}

function refuse(problem: string): number {
  process.stderr.write(`stowage: ${problem}`)
  return 2
}
