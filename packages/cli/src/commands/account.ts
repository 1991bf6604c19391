import type { Account } from '@stowage/client'
import { formatSize } from '@stowage/protocol/format'
import { CONNECTION_HELP, CONNECTION_OPTIONS, withClient } from '../connection.ts'
import { counted, tableWidth, writeData } from '../output.ts'
import { sanitize } from '../terminal/sanitize.ts'
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
  // Services before 0.3.0 have no limit of assets.
  const limit = plan.assets == null ? '' : `, at most ${counted(plan.assets, 'asset')}`
  const inTrash = trash > 0 ? `, including ${formatSize(trash)} in the trash` : ''
  return `${sanitize(name)} at ${url}

  ${accountMeter(details, width - 4)}

  stored     ${formatSize(stored)} in ${counted(assets, 'asset')}
  reserved   ${formatSize(reserved)} for uploads in progress
  free       ${formatSize(available)}${inTrash}
  plan       ${formatSize(plan.storage)}${limit} (${sanitize(plan.name)})`
}

interface Usage {
  plan: { storage: number }
  stored: number
  reserved: number
}

const STORED = '█'
const RESERVED = '▒'
const FREE = '░'

/** The plan as a bar of stored, reserved and free storage. Any amount above zero is visible. */
export function accountMeter({ plan, stored, reserved }: Usage, width: number): string {
  const share = (bytes: number) => {
    if (bytes <= 0) return 0
    return plan.storage <= 0 ? width : Math.max(1, Math.round((bytes / plan.storage) * width))
  }
  const storedWidth = Math.min(width, share(stored))
  const reservedWidth = Math.min(width - storedWidth, share(reserved))
  const freeWidth = width - storedWidth - reservedWidth
  return STORED.repeat(storedWidth) + RESERVED.repeat(reservedWidth) + FREE.repeat(freeWidth)
}
