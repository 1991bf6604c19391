import { text as readText } from 'node:stream/consumers'
import {
  CONNECTION_OPTIONS,
  type Connection,
  DEFAULT_URL,
  loginFile,
  openClient,
  parseKey,
  parseServiceUrl,
  removeLogin,
  sendsKeyUnencrypted,
  toCommandError,
  warnUnencryptedKey,
  writeLogin,
} from '../connection.ts'
import { writeData, writeMessage } from '../output.ts'
import { isInteractive, prompt } from '../terminal/prompt.ts'
import { sanitize } from '../terminal/sanitize.ts'
import { type Command, CommandFailed, readOptions, refuseArguments, UsageError } from '../usage.ts'

export const login: Command = {
  help: `stowage login: save the URL and the key of a service

Usage:
  stowage login [URL] [--key KEY]

  --key       the API key (default: prompt on a terminal, otherwise read standard input). Not needed
              if the service does not use keys
  --json      a JSON object: {url, account}

The URL and the key are checked and then saved to ~/.config/stowage/login.json (or in
$XDG_CONFIG_HOME), which only you can read. --url and --key take precedence, then STOWAGE_URL and
STOWAGE_API_KEY, then the saved login. A key is only sent to the URL that it was saved with.

Exit codes: 0 saved · 1 not saved: the service is unreachable or rejects the key · 2 wrong usage

Examples:
  stowage login
  stowage login https://files.example.com
  pass show stowage | stowage login https://files.example.com
`,
  async run(commandLine) {
    const { values, positionals } = readOptions(commandLine, CONNECTION_OPTIONS)
    const [named = values.url, ...more] = positionals
    if (more.length > 0)
      throw new UsageError(`Expected one URL, got ${positionals.length}: ${positionals.join(' ')}`)
    const connection = await promptForMissing(named, values.key)
    const account = await openClient(connection)
      .account()
      .catch((error) => {
        throw toCommandError(error, connection)
      })
    await writeLogin(connection)
    if (sendsKeyUnencrypted(connection)) warnUnencryptedKey(connection.url)
    writeMessage(`Saved to ${loginFile()}`)
    const { url } = connection
    const text = `${url}, account ${sanitize(account.name)}, plan ${sanitize(account.plan.name)}`
    writeData({ url, account }, { json: values.json === true, text })
    return 0
  },
}

async function promptForMissing(
  url: string | undefined,
  key: string | undefined,
): Promise<Connection> {
  const canPrompt = isInteractive()
  const typed = url ?? (canPrompt ? await ask(`URL [${DEFAULT_URL}]: `) : '')
  const service = parseServiceUrl(typed.trim() || DEFAULT_URL)
  const given =
    key ??
    (canPrompt
      ? await ask('Key (empty if the service does not use keys): ', { hidden: true })
      : await readText(process.stdin))
  return { url: service, key: parseKey(given, 'The key') }
}

async function ask(question: string, options?: { hidden: boolean }): Promise<string> {
  const answer = await prompt(question, options)
  if (answer === undefined) throw new CommandFailed('Cancelled. Nothing was saved.')
  return answer
}

export const logout: Command = {
  help: `stowage logout: remove the URL and the key that \`stowage login\` saved

Usage:
  stowage logout [--json]

The key stays valid. To revoke it, run stowage keys revoke on the host of the service.

Examples:
  stowage logout
`,
  async run(commandLine) {
    const { values, positionals } = readOptions(commandLine, {})
    refuseArguments(positionals)
    const removed = await removeLogin()
    if (values.json) writeData({ removed }, { json: true, text: '' })
    else writeMessage(removed ? `Removed ${loginFile()}` : 'There is no saved login.')
    return 0
  },
}
