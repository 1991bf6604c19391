import { getAsset } from '../assets/get-asset.ts'
import { CONNECTION_HELP, CONNECTION_OPTIONS, withClient } from '../connection/with-client.ts'
import { writeItem } from '../output.ts'
import { fullName } from '../text/full-name.ts'
import { sanitize } from '../text/sanitize.ts'
import { type Command, readCount, readOptions, UsageError } from '../usage.ts'

export const restore: Command = {
  help: `stowage restore: make an older version of a file current again

Usage:
  stowage restore ID|NAME VERSION

${CONNECTION_HELP}
  --json        the asset as JSON

The version that was current is kept as an older one, so this can be undone. stowage versions lists
the versions.

Examples:
  stowage restore ebook.pdf 1
`,
  async run(commandLine) {
    const { values, positionals } = readOptions(commandLine, CONNECTION_OPTIONS)
    const [wanted, number, ...more] = positionals
    if (wanted === undefined) throw new UsageError('No asset given.')
    const version = readCount(number, 'VERSION')
    if (version === undefined) throw new UsageError('No version given.')
    if (more.length > 0) throw new UsageError(`Unexpected argument: ${more.join(' ')}`)
    return withClient(values, async (client) => {
      const { id } = await getAsset(client, wanted)
      const asset = await client.restore(id, version)
      const text = sanitize(`${asset.id}  ${fullName(asset)} is now version ${asset.version}`)
      writeItem(asset, { json: values.json === true, text })
      return 0
    })
  },
}
