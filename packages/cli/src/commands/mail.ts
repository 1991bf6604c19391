import type { ListMailsQuery, Mail, MailWithContent } from '@stowage/client/node'
import { CONNECTION_HELP, CONNECTION_OPTIONS, withClient } from '../connection.ts'
import { formatMinute, tableWidth, writeData, writeList, writeMessage } from '../output.ts'
import { sanitize } from '../terminal/sanitize.ts'
import { table } from '../terminal/table.ts'
import {
  type Command,
  omitUndefined,
  readChoice,
  readLimit,
  readOptions,
  refuseArguments,
  requireOneArgument,
  UsageError,
} from '../usage.ts'

const MAIL_STATES = ['queued', 'sending', 'sent', 'failed', 'cancelled'] as const

const OPTIONS = {
  ...CONNECTION_OPTIONS,
  state: { type: 'string' },
  order: { type: 'string' },
  html: { type: 'boolean' },
  limit: { type: 'string', short: 'n' },
  all: { type: 'boolean' },
} as const

export const mail: Command = {
  help: `stowage mail: show the mails to buyers, and send them again

Usage:
  stowage mail ls [--state STATE] [--order ID|REFERENCE] [--limit N | --all]
  stowage mail show ID [--html]
  stowage mail send ID
  stowage mail test ADDRESS

  --state       only mails in this state: ${MAIL_STATES.join(', ')}
  --order       only mails about this order
  -n, --limit   the number of mails (default: 25)
  --all         all mails
  --html        print the HTML part instead of the text
${CONNECTION_HELP}
  --json        a JSON array for ls; otherwise a JSON object

show prints what is sent, or what would be sent now. send tries a queued mail at once; of any
other, it sends a new one. test gives a test mail to the mail server and prints its response.
list is an alias of ls.

Examples:
  stowage mail ls --state failed
  stowage mail test you@example.com
`,
  async run([action, ...commandLine]) {
    const { values, positionals } = readOptions(commandLine, OPTIONS)
    const { json = false } = values
    if (action === 'ls' || action === 'list') {
      refuseArguments(positionals)
      return listMails(values)
    }
    if (action === 'test') {
      const address = requireOneArgument(positionals, 'e-mail address')
      return withClient(values, async (client) => {
        const tested = await client.testMail(address)
        const { outcome, response } = tested
        writeData(tested, { json, text: sanitize(`${outcome}: ${response}`) })
        return outcome === 'accepted' ? 0 : 1
      })
    }
    if (action === 'show') {
      const id = requireOneArgument(positionals, 'mail ID')
      return withClient(values, async (client) => {
        const shown = await client.mail(id)
        writeData(shown, { json, text: mailText(shown, values.html ?? false) })
        return 0
      })
    }
    if (action === 'send') {
      const id = requireOneArgument(positionals, 'mail ID')
      return withClient(values, async (client) => {
        const queued = await client.sendMailAgain(id)
        writeData(queued, { json, text: queued.id })
        if (!json) writeMessage(sanitize(`The mail to ${queued.recipient} is queued.`))
        return 0
      })
    }
    throw new UsageError(
      action === undefined
        ? 'Pass ls, show, send or test.'
        : `Unknown command mail ${action}. Pass ls, show, send or test.`,
    )
  },
}

type Values = ReturnType<typeof readMailOptions>['values']
const readMailOptions = (commandLine: string[]) => readOptions(commandLine, OPTIONS)

function listMails(values: Values): Promise<number> {
  const { order: key, json = false } = values
  const state = readChoice(values.state, '--state', MAIL_STATES)
  const limit = readLimit(values)
  return withClient(values, async (client) => {
    const order = key === undefined ? undefined : (await client.order(key)).id
    const query: ListMailsQuery = omitUndefined({ state, order })
    const list = (pageSize: number) => client.mails({ ...query, limit: pageSize })
    await writeList(list, { json, limit, pageSize: 100, text: mailTable })
    return 0
  })
}

function mailTable(mails: readonly Mail[]): string {
  return table(
    [
      { head: 'ID', dropOrder: 2 },
      'STATE',
      { head: 'KIND', dropOrder: 3 },
      { head: 'TO', minWidth: 12 },
      'CREATED (UTC)',
      { head: 'REASON', dropOrder: 1, minWidth: 12 },
    ],
    mails.map(({ id, state, kind, recipient, created_at, reason }) => [
      id,
      state,
      kind,
      recipient,
      formatMinute(created_at),
      reason ?? '',
    ]),
    { columns: tableWidth() },
  )
}

function mailText({ content, state, reason, recipient }: MailWithContent, isHtml: boolean): string {
  const head = [`To: ${recipient}`, `State: ${state}`, ...(reason === null ? [] : [reason])]
  if (content === null) return sanitize(head.join('\n'))
  if (isHtml) return content.html
  const facts = [`From: ${content.from}`, ...head, `Subject: ${content.subject}`]
  return `${facts.map((line) => sanitize(line)).join('\n')}\n\n${content.text
    .split('\n')
    .map((line) => sanitize(line))
    .join('\n')}`
}
