import { loginFile, removeLogin } from '../connection/login-file.ts'
import { writeData, writeMessage } from '../output.ts'
import { type Command, readOptions, refuseArguments } from '../usage.ts'

export const logout: Command = {
  help: `stowage logout: forget the address and the key that \`stowage login\` kept

Usage:
  stowage logout [--json]

The key itself stays good: stowage keys revoke ends it, where the service runs.

Examples:
  stowage logout
`,
  async run(commandLine) {
    const { values, positionals } = readOptions(commandLine, {})
    refuseArguments(positionals)
    const was = await removeLogin()
    if (values.json) writeData({ removed: was }, { json: true, text: '' })
    else writeMessage(was ? `${loginFile()} is gone` : 'There was no login.')
    return 0
  },
}
