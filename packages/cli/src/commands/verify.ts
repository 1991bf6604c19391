import { Writable } from 'node:stream'
import type { Asset } from '@stowage/client/node'
import {
  FILTER_HELP,
  FILTER_OPTIONS,
  forEachAsset,
  fullName,
  getAssets,
  readFilters,
  refuseWithoutAll,
} from '../assets.ts'
import { CONNECTION_HELP, CONNECTION_OPTIONS, withClient } from '../connection.ts'
import { streamAsset } from '../downloads.ts'
import { INTERRUPTED, onInterrupt } from '../interrupt.ts'
import { ignoreClosedOutput, writeItem, writeMessage } from '../output.ts'
import { showProgress } from '../terminal/live-lines.ts'
import { sanitize } from '../terminal/sanitize.ts'
import { type Command, CommandFailed, readOptions, requireArguments, UsageError } from '../usage.ts'

const OPTIONS = {
  ...CONNECTION_OPTIONS,
  ...FILTER_OPTIONS,
  all: { type: 'boolean' },
} as const

export const verify: Command = {
  help: `stowage verify: compare stored files with their SHA-256

Usage:
  stowage verify ID|NAME…
  stowage verify --all [--search WORDS] [--path FOLDER] [--attached | --unattached] [--sku SKU]

  --all         all files, or those that match the filters; link assets are not included
${FILTER_HELP}
${CONNECTION_HELP}
  --json        one JSON object per line: {asset, verified: true} or {asset, error}

Each file is downloaded without being saved, and compared with the SHA-256 that the service shows.
The service computes it after the upload (on S3 only with STOWAGE_CHECKSUMS=on). On the machine of a
service with disk storage, stowage doctor --verify reads the files from the disk instead.

Exit codes: 0 all files match · 1 some do not match, are damaged or have no SHA-256 yet
            2 wrong usage · 130 interrupted

Examples:
  stowage verify course.zip
  stowage verify --all --path course/
`,
  async run(commandLine) {
    const { values, positionals } = readOptions(commandLine, OPTIONS)
    if (values.all && positionals.length > 0) throw new UsageError('Pass either --all or names.')
    const wanted = values.all ? [] : requireArguments(positionals, 'asset')
    if (!values.all) refuseWithoutAll(values)
    const filters = readFilters(values)
    const json = values.json === true
    return withClient(values, async (client, connection) => {
      ignoreClosedOutput()
      const interruption = onInterrupt()
      const { signal } = interruption
      const progress = showProgress()
      try {
        const assets = values.all
          ? client.assets({ ...filters, type: 'file', sort: 'filename', signal })
          : await getAssets(client, wanted)
        return await forEachAsset(assets, { connection, json }, async (asset) => {
          const { sha256 } = checksumOf(asset)
          progress.show(`verifying ${sanitize(fullName(asset))}`)
          await streamAsset(client, asset, { output: discarded(), signal }).finally(progress.clear)
          const text = `${sha256}  ${sanitize(fullName(asset))}`
          writeItem({ asset, verified: true }, { json, text })
        })
      } catch (error) {
        if (!signal.aborted) throw error
        writeMessage('Interrupted.')
        return INTERRUPTED
      } finally {
        progress.clear()
        interruption.close()
      }
    })
  },
}

function checksumOf({ is_link, checksum, damaged }: Asset): { sha256: string } {
  if (is_link) throw new CommandFailed('It is a link, which has no SHA-256.')
  if (damaged) {
    throw new CommandFailed(
      'The stored file is damaged. Replace it with stowage replace, or restore another version.',
    )
  }
  if (checksum) return checksum
  throw new CommandFailed(
    'The service has not computed the SHA-256 yet. Try again later; on S3, set STOWAGE_CHECKSUMS=on.',
  )
}

function discarded(): Writable {
  return new Writable({ write: (_chunk, _encoding, done) => done() })
}
