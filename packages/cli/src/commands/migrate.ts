import { writeData, writeMessage } from '../output.ts'
import { type Command, readOptions, refuseArguments } from '../usage.ts'

export const migrate: Command = {
  help: `stowage migrate: upgrade the database to this version

Usage:
  stowage migrate

  --json      the result as JSON: {applied}, the names of the migrations that ran

The command creates or upgrades the database in the STOWAGE_* variables. stowage serve does the same
when it starts, unless STOWAGE_MIGRATE=off is set. All other commands never upgrade a database.
Before an upgrade, back up the database and stop all instances of the service: an older version does
not run on an upgraded database. If the upgrade is interrupted, run the command again.

Exit codes: 0 up to date · 1 not, or not completely, upgraded · 2 wrong usage or settings

Examples:
  stowage migrate
  STOWAGE_DATABASE=postgres://stowage:…@db/stowage stowage migrate
`,
  async run(commandLine) {
    const { values, positionals } = readOptions(commandLine, {})
    refuseArguments(positionals)
    const { json = false } = values
    const server = await import('@stowage/server')
    return server.migrate({
      onStep: writeMessage,
      onDone(applied) {
        const text =
          applied.length === 0
            ? 'The database is up to date.'
            : `Migrations that ran: ${applied.length}. The database is up to date.`
        writeData({ applied }, { json, text })
      },
    })
  },
}
