import { type Command, readOptions, refuseArguments } from '../usage.ts'

export const serve: Command = {
  help: `stowage serve: run the service, with the settings from STOWAGE_* variables

Examples:
  stowage serve
  STOWAGE_DATA=/srv/stowage STOWAGE_PORT=8080 stowage serve
  STOWAGE_HOST=0.0.0.0 STOWAGE_BASE_URL=https://files.example.com stowage serve

SIGTERM or Ctrl-C stops it once running requests have finished, after 25 seconds at most.
A second one stops it at once.
`,
  async run(commandLine) {
    refuseArguments(readOptions(commandLine, {}).positionals)
    const [server, dashboard] = await Promise.all([
      import('@stowage/server'),
      import('@stowage/dashboard'),
    ])
    const code = await server.serve({ dashboard: dashboard.folder })
    // What was cut off after its time may still wait for an answer.
    process.exit(code)
  },
}
