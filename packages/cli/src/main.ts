import { parseArgs } from 'node:util'
import manifest from '../package.json' with { type: 'json' }

const HELP = `stowage ${manifest.version}: stores digital assets and links them to products

Usage:
  stowage serve       run the service, with the settings from STOWAGE_* variables
  stowage --help      this page
  stowage --version

Examples:
  stowage serve
  STOWAGE_DATA=/srv/stowage STOWAGE_PORT=8080 stowage serve

Exit codes: 0 done · 1 failed · 2 wrong usage or settings
`

/** Returns the exit code. */
export async function run(commandLine: string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args: commandLine,
    options: { help: { type: 'boolean', short: 'h' }, version: { type: 'boolean' } },
    allowPositionals: true,
    strict: false,
  })
  if (values.version === true) return print(`${manifest.version}\n`)
  const [command, ...rest] = positionals
  if (values.help === true || command === 'help') return print(HELP)
  if (command === 'serve' && rest.length === 0) {
    const { serve } = await import('@stowage/server')
    return serve()
  }
  const problem =
    command === undefined ? 'which command?' : `there is no command ${positionals.join(' ')}`
  process.stderr.write(`stowage: ${problem}\n\n${HELP}`)
  return 2
}

function print(text: string): number {
  process.stdout.write(text)
  return 0
}
