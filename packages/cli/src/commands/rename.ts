import { getAsset } from '../assets.ts'
import { CONNECTION_HELP, CONNECTION_OPTIONS, withClient } from '../connection.ts'
import { writeItem } from '../output.ts'
import { sanitize } from '../terminal/sanitize.ts'
import { type Command, readOptions, UsageError } from '../usage.ts'

export const rename: Command = {
  help: `stowage rename: rename an asset

Usage:
  stowage rename ID|NAME NEW-NAME

${CONNECTION_HELP}
  --json        the asset as JSON

Examples:
  stowage rename pack-final-2.zip sample-pack.zip
`,
  async run(commandLine) {
    const { values, positionals } = readOptions(commandLine, CONNECTION_OPTIONS)
    const [wanted, name, ...more] = positionals
    if (wanted === undefined) throw new UsageError('No asset given.')
    if (name === undefined) throw new UsageError('No new name given.')
    if (more.length > 0) throw new UsageError(`Unexpected argument: ${more.join(' ')}`)
    return withClient(values, async (client) => {
      const { id, filename } = await getAsset(client, wanted)
      const asset = await client.change(id, { filename: name })
      const text = sanitize(`${id}  ${filename} renamed to ${asset.filename}`)
      writeItem(asset, { json: values.json === true, text })
      return 0
    })
  },
}
