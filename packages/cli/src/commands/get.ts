import { dirname } from 'node:path'
import { makeFolder } from '@stowage/client/internal/files'
import { type Asset, isStowageError, type NodeClient } from '@stowage/client/node'
import { forEachAsset } from '../assets/for-each-asset.ts'
import { getAssets } from '../assets/get-asset.ts'
import { CONNECTION_HELP, CONNECTION_OPTIONS, withClient } from '../connection/with-client.ts'
import { streamAsset } from '../download/stream-asset.ts'
import { isFolder, targetPath } from '../download/target-path.ts'
import { INTERRUPTED, onInterrupt } from '../interrupt.ts'
import { ignoreClosedOutput, writeItem, writeMessage } from '../output.ts'
import { openLiveLines } from '../terminal/live-lines.ts'
import { progressLine } from '../text/progress-line.ts'
import { sanitize } from '../text/sanitize.ts'
import {
  type Command,
  CommandFailed,
  isSystemError,
  readOptions,
  requireArguments,
  UsageError,
} from '../usage.ts'

const OPTIONS = {
  ...CONNECTION_OPTIONS,
  output: { type: 'string', short: 'o' },
  force: { type: 'boolean', short: 'f' },
} as const

export const get: Command = {
  help: `stowage get: download assets

Usage:
  stowage get ID|NAME… [-o PATH|FOLDER|-] [--force]

  -o, --output  a file, a folder, or - for standard output (default: a file in this folder with the
                name of the asset, in which unsafe characters are replaced)
  -f, --force   overwrite existing files
${CONNECTION_HELP}
  --json        one JSON object per line: {asset, path} or {asset, error}

To resume an interrupted download, run the same command again.

Exit codes: 0 all downloaded · 1 some failed (see standard error) · 2 wrong usage
            130 interrupted

Examples:
  stowage get sample-pack.zip
  stowage get 01981d2c-5a7e-7c31-9d0a-6f1b2c3d4e5f -o /srv/backup/
  stowage get presets.tar.gz -o - | tar tz
`,
  async run(commandLine) {
    const { values, positionals } = readOptions(commandLine, OPTIONS)
    const wanted = requireArguments(positionals, 'asset')
    const { output, force = false, json = false } = values
    if (output === '-' && (wanted.length > 1 || json)) {
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
    return withClient(values, async (client, connection) => {
      const assets = await getAssets(client, wanted)
      if (output !== '-') ignoreClosedOutput()
      const interruption = onInterrupt()
      const { signal } = interruption
      try {
        return await forEachAsset(assets, { connection, json }, async (asset) => {
          if (output === '-') {
            await streamAsset(client, asset, { output: process.stdout, signal })
            return
          }
          const path = await save(client, asset, { output, force, signal })
          writeItem({ asset, path }, { json, text: sanitize(path) })
        })
      } catch (error) {
        if (!signal.aborted) throw error
        writeMessage(
          output === '-' ? 'Interrupted.' : 'Interrupted. Run the same command again to resume.',
        )
        return INTERRUPTED
      } finally {
        interruption.close()
      }
    })
  },
}

interface SaveOptions {
  output: string | undefined
  force: boolean
  signal: AbortSignal
}

async function save(client: NodeClient, asset: Asset, { output, force, signal }: SaveOptions) {
  const path = await targetPath(output, asset)
  const live = openLiveLines()
  try {
    await makeFolder(dirname(path))
    const saved = await client.downloadTo(asset.id, path, {
      signal,
      overwrite: force,
      onProgress: (now) =>
        live.show([progressLine({ name: asset.filename, ...now }, live.columns() - 1)]),
    })
    return saved.path
  } catch (error) {
    if (isStowageError(error, 'file_exists')) {
      throw new CommandFailed(
        `${sanitize(path)} already exists. Pass --force to overwrite it, or -o to save elsewhere.`,
      )
    }
    if (isStowageError(error) || signal.aborted || !isSystemError(error)) throw error
    throw new CommandFailed(
      sanitize(`Cannot write ${path}: ${error.message}. Run the same command again to resume.`),
    )
  } finally {
    live.clear()
  }
}
