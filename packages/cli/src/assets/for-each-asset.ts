import { type Asset, isStowageError } from '@stowage/client/node'
import type { Connection } from '../connection/resolve-connection.ts'
import { toCommandError } from '../connection/with-client.ts'
import { writeItem, writeMessage } from '../output.ts'
import { sanitize } from '../text/sanitize.ts'
import { CommandFailed } from '../usage.ts'

/**
 * Calls `work` with one asset after the other. A failure is reported with the name of the asset (with
 * `--json`, as `{asset, error}`), and does not stop the rest. Returns the exit code.
 */
export async function forEachAsset(
  assets: Iterable<Asset> | AsyncIterable<Asset>,
  { connection, json }: { connection: Connection; json: boolean },
  work: (asset: Asset) => Promise<void>,
): Promise<number> {
  let code = 0
  for await (const asset of assets) {
    try {
      await work(asset)
    } catch (caught) {
      const error = toCommandError(caught, connection)
      if (!(error instanceof CommandFailed)) throw error
      code = 1
      writeMessage(`stowage: ${sanitize(asset.filename)}: ${error.message}`)
      if (json) writeItem({ asset, error: problemOf(error) }, { json, text: '' })
    }
  }
  return code
}

function problemOf({ message, cause }: CommandFailed): { code: string; message: string } {
  return { code: isStowageError(cause) ? cause.code : 'failed', message }
}
