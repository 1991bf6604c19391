import { loginFile, removeLogin } from '../connection/login-file.ts'
import { writeData, writeMessage } from '../output.ts'
import { type Command, readOptions, refuseArguments } from '../usage.ts'

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
