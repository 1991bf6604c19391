import { type Command, readOptions, refuseArguments } from '../usage.ts'

export const serve: Command = {
  help: `stowage serve: run the service, with the settings from STOWAGE_* variables

Usage:
  stowage serve

At its start the service creates or upgrades its database. With STOWAGE_MIGRATE=off it refuses to
start until stowage migrate has done that.

SIGTERM or Ctrl-C stops the service when all running requests have finished, or after 25 seconds. A
second signal stops it immediately.

Examples:
  stowage serve
  STOWAGE_DATA=/srv/stowage STOWAGE_PORT=8080 stowage serve
  STOWAGE_HOST=0.0.0.0 STOWAGE_BASE_URL=https://files.example.com \\
    STOWAGE_STORAGE_URL=https://parts.example.com stowage serve
`,
  async run(commandLine) {
    refuseArguments(readOptions(commandLine, {}).positionals)
    const [server, dashboard] = await Promise.all([
      import('@stowage/server'),
      import('@stowage/dashboard'),
    ])
    const code = await server.serve({ dashboard: dashboard.folder })
    // Requests that were aborted after the timeout may still keep the process open.
    process.exit(code)
  },
}
