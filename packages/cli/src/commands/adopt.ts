import { writeData, writeMessage } from '../output.ts'
import { confirm, isInteractive } from '../terminal/prompt.ts'
import { type Command, readOptions, refuseArguments, UsageError } from '../usage.ts'

const OPTIONS = { yes: { type: 'boolean', short: 'y' } } as const

export const adopt: Command = {
  help: `stowage adopt: bind the storage to the database

Usage:
  stowage adopt [--yes]

  -y, --yes   do not ask for confirmation
  --json      the result as JSON

At its first start a service writes an identity into its database and its storage. From then on it
refuses to start with another database or storage, because its jobs could remove files and uploads
that another service still needs. This command binds the database and the storage in the STOWAGE_*
variables, for example after the files were copied to another bucket. First stop every service that
uses either of them. A service that is still configured with the previous database or storage will
refuse to start.

If the key that encrypts the secrets of webhooks is lost, the command also binds the key in the
storage, or a new one. Then replace the secret of each webhook: stowage webhooks rotate ID

Exit codes: 0 bound · 1 not changed · 2 wrong usage or settings

Examples:
  STOWAGE_STORAGE=s3://new-bucket stowage adopt
`,
  async run(commandLine) {
    const { values, positionals } = readOptions(commandLine, OPTIONS)
    refuseArguments(positionals)
    const { yes = false, json = false } = values
    if (!yes && !isInteractive())
      throw new UsageError('Not interactive. Pass --yes to bind without confirmation.')
    const server = await import('@stowage/server')
    return server.adopt({
      async confirm(mismatch) {
        if (yes) return true
        if (mismatch !== undefined) writeMessage(`Current state: ${mismatch}.`)
        return confirm('Bind this storage to this database?')
      },
      onDone(outcome) {
        writeData({ outcome }, { json, text: TEXTS[outcome] })
      },
    })
  },
}

const TEXTS = {
  adopted: 'The storage is now bound to this database.',
  unchanged: 'The storage is already bound to this database.',
  declined: 'Nothing was changed.',
}
