import type { Asset, NodeClient } from '@stowage/client/node'
import {
  FILTER_HELP,
  FILTER_OPTIONS,
  readFilters,
  refuseWithoutAll,
} from '../assets/asset-filters.ts'
import { forEachAsset } from '../assets/for-each-asset.ts'
import { getAssets } from '../assets/get-asset.ts'
import type { Connection } from '../connection/resolve-connection.ts'
import { CONNECTION_HELP, CONNECTION_OPTIONS, withClient } from '../connection/with-client.ts'
import { createFolderSaver } from '../download/create-folder-saver.ts'
import { saveAsset } from '../download/save-asset.ts'
import { streamAsset } from '../download/stream-asset.ts'
import { isFolder, targetPath } from '../download/target-path.ts'
import { INTERRUPTED, onInterrupt } from '../interrupt.ts'
import { ignoreClosedOutput, writeItem, writeMessage } from '../output.ts'
import { sanitize } from '../text/sanitize.ts'
import { type Command, readOptions, requireArguments, UsageError } from '../usage.ts'

const OPTIONS = {
  ...CONNECTION_OPTIONS,
  ...FILTER_OPTIONS,
  output: { type: 'string', short: 'o' },
  into: { type: 'string' },
  all: { type: 'boolean' },
  force: { type: 'boolean', short: 'f' },
} as const

type Values = ReturnType<typeof readOptions<typeof OPTIONS>>['values']

export const get: Command = {
  help: `stowage get: download assets

Usage:
  stowage get ID|NAME… [-o PATH|FOLDER|-] [--force]
  stowage get --all --into FOLDER [--search WORDS] [--path FOLDER] [--attached | --unattached]
              [--sku SKU] [--force]

  -o, --output  a file, a folder, or - for standard output (default: a file in this folder with the
                name of the asset, in which unsafe characters are replaced)
  --all         all files, or those that match the filters; link assets are not included
  --into        the folder to download to; the folders of the assets are created in it
${FILTER_HELP}
  -f, --force   overwrite existing files
${CONNECTION_HELP}
  --json        one JSON object per line: {asset, path} or {asset, error}; with --into, a file
                that already exists has skipped: true

To resume an interrupted download, run the same command again. With --into, files that already exist
with the size of the asset are skipped. A file with another size, or one that is older than the
current version of the asset, is reported as a failure; --force overwrites it. If two assets would
get the same path, or a name is not safe as a file name, the ID of the asset is added to the name.
Nothing is written outside the folder.

Exit codes: 0 all downloaded · 1 some failed (see standard error) · 2 wrong usage
            130 interrupted

Examples:
  stowage get sample-pack.zip
  stowage get 01981d2c-5a7e-7c31-9d0a-6f1b2c3d4e5f -o /srv/backup/
  stowage get presets.tar.gz -o - | tar tz
  stowage get --all --into backup --path course/
`,
  async run(commandLine) {
    const { values, positionals } = readOptions(commandLine, OPTIONS)
    const work = values.all ? readAll(values, positionals) : await readNamed(values, positionals)
    return withClient(values, async (client, connection) => {
      if (values.output !== '-') ignoreClosedOutput()
      const interruption = onInterrupt()
      const { signal } = interruption
      try {
        return await work({ client, connection, signal, json: values.json === true })
      } catch (error) {
        if (!signal.aborted) throw error
        const advice = values.output === '-' ? '' : ' Run the same command again to resume.'
        writeMessage(`Interrupted.${advice}`)
        return INTERRUPTED
      } finally {
        interruption.close()
      }
    })
  },
}

interface DownloadContext {
  client: NodeClient
  connection: Connection
  signal: AbortSignal
  json: boolean
}

/** Checks the command line, and returns a function that downloads the named assets. */
async function readNamed(values: Values, names: string[]) {
  const { output, force = false } = values
  const wanted = requireArguments(names, 'asset')
  refuseWithoutAll(values, ['into'])
  if (output === '-' && (wanted.length > 1 || values.json)) {
    throw new UsageError(
      '-o - writes one asset to standard output. Pass only one asset, and do not pass --json.',
    )
  }
  const isInFolder = output === undefined || (await isFolder(output))
  if (wanted.length > 1 && !isInFolder) {
    throw new UsageError(
      `${output} is not a folder. Pass a folder to save ${wanted.length} assets.`,
    )
  }
  return async ({ client, connection, signal, json }: DownloadContext) => {
    const save = async (asset: Asset) => {
      if (output === '-') {
        await streamAsset(client, asset, { output: process.stdout, signal })
        return
      }
      const path = await targetPath(output, asset)
      const saved = await saveAsset(client, asset, { path, force, signal })
      writeItem({ asset, path: saved }, { json, text: sanitize(saved) })
    }
    return forEachAsset(await getAssets(client, wanted), { connection, json }, save)
  }
}

/** Checks the command line, and returns a function that downloads all assets into a folder. */
function readAll(values: Values, names: string[]) {
  const { into: root, force = false } = values
  if (names.length > 0) throw new UsageError('Pass either --all or names.')
  if (values.output !== undefined) throw new UsageError('--all needs --into instead of --output.')
  if (root === undefined || root === '') {
    throw new UsageError('--all needs a folder. Pass --into FOLDER.')
  }
  const filters = readFilters(values)
  return async ({ client, connection, signal, json }: DownloadContext) => {
    const saver = createFolderSaver(client, { root, force, signal, json })
    let files = 0
    const save = (asset: Asset) => {
      files += 1
      return saver.save(asset)
    }
    const assets = client.assets({ ...filters, type: 'file', sort: 'filename', signal })
    const code = await forEachAsset(assets, { connection, json }, save)
    const { downloaded, skipped } = saver.counts
    const failed = files - downloaded - skipped
    writeMessage(
      files === 0
        ? 'No file matches.'
        : `${downloaded} downloaded, ${skipped} skipped, ${failed} failed.`,
    )
    return code
  }
}
