import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Asset, NodeClient } from '@stowage/client/node'
import { AssetNotFound, fullName, getAsset, getTrashedAsset, UUID } from '../assets.ts'
import { CONNECTION_HELP, CONNECTION_OPTIONS, withClient } from '../connection.ts'
import { writeItem } from '../output.ts'
import { sanitize } from '../terminal/sanitize.ts'
import { type Command, readCount, readOptions, UsageError } from '../usage.ts'

const BACKUP_HELP = `With FOLDER, a folder of stowage backup, the whole service is restored. The STOWAGE_* variables set
the target, on any pair of engines. Its database must be empty, and its storage, too, unless you
pass --in-place. Assets, orders, keys and webhooks keep their IDs, and download links keep working.
To resume an interrupted restore, run the same command again; until it is finished, stowage serve
does not start on the target.

  --generation  the name of a backup in the folder (default: the newest one); stowage backup
                --check FOLDER lists them
  --in-place    the storage of the service still has its objects: restore the database, and only
                those objects that are missing. First stop every service that uses the storage
  --verify      also read back every file and compare it

Uploads in progress, upload tokens and dashboard sessions are not restored. Mails that were waiting
are not sent, because they may have been sent after the backup: stowage mail ls --state failed

Exit codes of a restored backup: 0 restored · 1 not finished · 2 wrong usage or settings ·
3 restored, but files are damaged or missing · 130 interrupted`

export const restore: Command = {
  help: `stowage restore: restore an asset from the trash, an older version of a file, or a backup

Usage:
  stowage restore ID|NAME
  stowage restore ID|NAME VERSION
  stowage restore FOLDER [--generation NAME] [--in-place] [--verify]

${CONNECTION_HELP}
  --json        the asset as JSON

Without VERSION, the asset is restored from the trash, with its versions and with those of its
products that still exist. An asset that is not in the trash does not change, so the command can be
repeated. stowage trash ls lists the trash.

With VERSION, that version of a file becomes current again. The version that was current is kept as
an older one, so this can be undone. stowage versions lists the versions.

${BACKUP_HELP}

Examples:
  stowage restore old-pack.zip
  stowage restore ebook.pdf 1
  STOWAGE_DATA=/var/lib/stowage-new stowage restore /backups/stowage
`,
  async run(commandLine) {
    if (commandLine.some(isBackup)) {
      const { restoreBackup } = await import('./restore-backup.ts')
      return restoreBackup(commandLine)
    }
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

/** A path, or a folder with a backup: other arguments name assets. */
function isBackup(argument: string): boolean {
  return /^(\.{0,2}[\\/]|[A-Za-z]:\\)/.test(argument) || existsSync(join(argument, 'backup.json'))
}
