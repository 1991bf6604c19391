import { writeData, writeMessage } from '../output.ts'
import { confirm, isInteractive } from '../terminal/prompt.ts'
import { type Command, readOptions, refuseArguments, UsageError } from '../usage.ts'

const OPTIONS = { yes: { type: 'boolean', short: 'y' } } as const

export const adopt: Command = {
  help: `stowage adopt: bind a storage to a database

Usage:
  stowage adopt [--yes]

  --yes       do not ask
  --json      the result as JSON

At its first start a service writes an identity into its database and its storage. From then on it
refuses to start with another database or another storage, because its jobs would remove files that
belong to somebody else. This command binds the two that the STOWAGE_* variables name, for example
after the files were copied to another bucket. Stop every service that uses one of them first: a
service that uses only one of the two does not start any more.

Exit codes: 0 they belong together · 1 not changed · 2 wrong usage or settings

Examples:
  STOWAGE_STORAGE=s3://new-bucket stowage adopt
`,
  async run(commandLine) {
    const { values, positionals } = readOptions(commandLine, OPTIONS)
    refuseArguments(positionals)
    const { yes = false, json = false } = values
    if (!yes && !isInteractive())
      throw new UsageError('not interactive; pass --yes to bind without asking')
    const server = await import('@stowage/server')
    return server.adopt({
      async confirm(mismatch) {
        if (yes) return true
        if (mismatch !== undefined) writeMessage(`Now: ${mismatch}.`)
        return confirm('Bind this storage to this database?')
      },
      onDone(outcome) {
        writeData({ outcome }, { json, text: TEXTS[outcome] })
      },
    })
  },
}

const TEXTS = {
  adopted: 'The storage belongs to this database now.',
  unchanged: 'They belong together already.',
  declined: 'Nothing was changed.',
}
