import type { Account } from '@stowage/client'
import { formatSize } from '@stowage/protocol/format'
import { CONNECTION_HELP, CONNECTION_OPTIONS, withClient } from '../connection/with-client.ts'
import { tableWidth, writeData } from '../output.ts'
import { accountMeter } from '../text/account-meter.ts'
import { sanitize } from '../text/sanitize.ts'
import { type Command, readOptions, refuseArguments } from '../usage.ts'

export const account: Command = {
  help: `stowage account: show the plan and its usage

Usage:
  stowage account [--json]

${CONNECTION_HELP}
  --json        the account as JSON, with sizes in bytes

Examples:
  stowage account
  stowage account --json | jq .available
`,
  async run(commandLine) {
    const { values, positionals } = readOptions(commandLine, CONNECTION_OPTIONS)
    refuseArguments(positionals)
    return withClient(values, async (client, { url }) => {
      const details = await client.account()
      writeData(details, { json: values.json === true, text: textOf(details, url) })
      return 0
    })
  },
}

function textOf(details: Account, url: string): string {
  const { name, plan, stored, reserved, trash, available, assets } = details
  const width = Math.min(60, tableWidth() ?? 60)
  const inTrash = trash > 0 ? `, including ${formatSize(trash)} in the trash` : ''
  return `${sanitize(name)} at ${url}

  ${accountMeter(details, width - 4)}

  stored     ${formatSize(stored)} in ${assets === 1 ? '1 asset' : `${assets} assets`}
  reserved   ${formatSize(reserved)} for uploads in progress
  free       ${formatSize(available)}${inTrash}
  plan       ${formatSize(plan.storage)} (${sanitize(plan.name)})`
}
