import { getAsset } from '../assets/get-asset.ts'
import { restoreFromTrash } from '../assets/restore-from-trash.ts'
import { CONNECTION_HELP, CONNECTION_OPTIONS, withClient } from '../connection/with-client.ts'
import { writeItem } from '../output.ts'
import { fullName } from '../text/full-name.ts'
import { sanitize } from '../text/sanitize.ts'
import { type Command, readCount, readOptions, UsageError } from '../usage.ts'

export const restore: Command = {
  help: `stowage restore: restore an asset from the trash, or an older version of a file

Usage:
  stowage restore ID|NAME
  stowage restore ID|NAME VERSION

${CONNECTION_HELP}
  --json        the asset as JSON

Without VERSION, the asset is restored from the trash, with its versions and with those of its
products that still exist. An asset that is not in the trash does not change, so the command can be
repeated. stowage trash ls lists the trash.

With VERSION, that version of a file becomes current again. The version that was current is kept as
an older one, so this can be undone. stowage versions lists the versions.

Examples:
  stowage restore old-pack.zip
  stowage restore ebook.pdf 1
`,
  async run(commandLine) {
    const { values, positionals } = readOptions(commandLine, CONNECTION_OPTIONS)
    const [wanted, number, ...more] = positionals
    if (wanted === undefined) throw new UsageError('No asset given.')
    const version = readCount(number, 'VERSION')
    if (more.length > 0) throw new UsageError(`Unexpected argument: ${more.join(' ')}`)
    return withClient(values, async (client) => {
      const json = values.json === true
      if (version === undefined) {
        const { asset, wasInTrash } = await restoreFromTrash(client, wanted)
        const result = wasInTrash ? 'restored' : 'is not in the trash'
        writeItem(asset, { json, text: sanitize(`${asset.id}  ${fullName(asset)} ${result}`) })
        return 0
      }
      const { id } = await getAsset(client, wanted)
      const asset = await client.restore(id, version)
      const text = sanitize(`${asset.id}  ${fullName(asset)} is now version ${asset.version}`)
      writeItem(asset, { json, text })
      return 0
    })
  },
}
