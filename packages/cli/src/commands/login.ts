import { text as readText } from 'node:stream/consumers'
import {
  type Connection,
  DEFAULT_URL,
  isInTheClear,
  readKey,
  readServiceUrl,
} from '../connection/connection.ts'
import { loginFile, writeLogin } from '../connection/login-file.ts'
import {
  CONNECTION_OPTIONS,
  failureOf,
  openClient,
  warnInTheClear,
} from '../connection/with-client.ts'
import { say, writeData } from '../output.ts'
import { ask, canAsk } from '../terminal/ask.ts'
import { plain } from '../text/plain.ts'
import { type Command, CommandFailed, readOptions, UsageError } from '../usage.ts'

export const login: Command = {
  help: `stowage login: remember a service's address and key

Usage:
  stowage login [URL] [--key KEY]

  --key       the API key. Left out: asked for on a terminal, without showing it; else read from
              standard input. An open service needs none
  --json      the account as JSON

Address and key are tried, and then kept in ~/.config/stowage/login.json (or in $XDG_CONFIG_HOME),
readable by you alone. STOWAGE_URL and STOWAGE_API_KEY, and --url and --key, come before it. A key
is never sent to another address than the one that it was given for.

Exit codes: 0 kept · 1 the service or the key is not good, nothing is kept · 2 wrong usage

Examples:
  stowage login
  stowage login https://files.example.com
  pass show stowage | stowage login https://files.example.com
`,
  async run(commandLine) {
    const { values, positionals } = readOptions(commandLine, CONNECTION_OPTIONS)
    const [named = values.url, ...more] = positionals
    if (more.length > 0) throw new UsageError(`one address, please, not ${positionals.join(' ')}`)
    const connection = await completed(named, values.key)
    const account = await openClient(connection)
      .account()
      .catch((error) => {
        throw failureOf(error, connection)
      })
    await writeLogin(connection)
    if (isInTheClear(connection)) warnInTheClear(connection.url)
    say(`Kept in ${loginFile()}`)
    const { url } = connection
    const text = `${url}, account ${plain(account.name)}, plan ${plain(account.plan.name)}`
    writeData({ url, account }, { json: values.json === true, text })
    return 0
  },
}

async function completed(url: string | undefined, key: string | undefined): Promise<Connection> {
  const canBeAsked = canAsk()
  const address = url ?? (canBeAsked ? await askFor(`Address [${DEFAULT_URL}]: `) : '')
  const service = readServiceUrl(address.trim() || DEFAULT_URL)
  const given =
    key ??
    (canBeAsked
      ? await askFor('Key (nothing for an open service): ', { hidden: true })
      : await readText(process.stdin))
  return { url: service, key: readKey(given, 'the key') }
}

async function askFor(question: string, options?: { hidden: boolean }): Promise<string> {
  const answer = await ask(question, options)
  if (answer === undefined) throw new CommandFailed('nothing is kept')
  return answer
}
