import type { Asset, NodeClient } from '@stowage/client/node'
import { AssetNotFound, fullName, getAsset, getTrashedAsset, UUID } from '../assets.ts'
import { CONNECTION_HELP, CONNECTION_OPTIONS, withClient } from '../connection.ts'
import { writeItem } from '../output.ts'
import { sanitize } from '../terminal/sanitize.ts'
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

/**
 * Restores the asset with this ID, or the one in the trash with this name. An asset that is not in the trash
 * is returned unchanged.
 */
async function restoreFromTrash(
  client: NodeClient,
  wanted: string,
): Promise<{ asset: Asset; wasInTrash: boolean }> {
  // The service finds an asset in the trash by its ID, so the trash need not be searched for it.
  if (UUID.test(wanted)) {
    const asset = await findOutsideTrash(client, wanted)
    if (asset !== undefined) return { asset, wasInTrash: false }
    return { asset: await client.restore(wanted), wasInTrash: true }
  }
  try {
    const { id } = await getTrashedAsset(client, wanted)
    return { asset: await client.restore(id), wasInTrash: true }
  } catch (error) {
    if (!(error instanceof AssetNotFound)) throw error
    const asset = await findOutsideTrash(client, wanted)
    if (asset === undefined) throw error
    return { asset, wasInTrash: false }
  }
}

async function findOutsideTrash(client: NodeClient, wanted: string): Promise<Asset | undefined> {
  try {
    return await getAsset(client, wanted)
  } catch (error) {
    if (error instanceof AssetNotFound) return undefined
    throw error
  }
}
