import type { UploadToken, UploadTokenRequest } from '@stowage/client/node'
import { formatSize, parseSize } from '@stowage/protocol/format'
import { getAsset } from '../assets.ts'
import { CONNECTION_HELP, CONNECTION_OPTIONS, withClient } from '../connection.ts'
import { formatMinute, tableWidth, writeData, writeMessage } from '../output.ts'
import { getProducts } from '../products.ts'
import { table } from '../terminal/table.ts'
import {
  type Command,
  omitUndefined,
  readCount,
  readOptions,
  refuseArguments,
  requireOneArgument,
  UsageError,
} from '../usage.ts'

const OPTIONS = {
  ...CONNECTION_OPTIONS,
  'max-bytes': { type: 'string' },
  'max-files': { type: 'string' },
  mime: { type: 'string', multiple: true },
  attach: { type: 'string', multiple: true, short: 'a' },
  replace: { type: 'string' },
  'expires-in': { type: 'string' },
  origin: { type: 'string' },
} as const

export const tokens: Command = {
  help: `stowage tokens: create, list and revoke upload tokens for web pages

Usage:
  stowage tokens add --max-bytes SIZE [--max-files N] [--mime TYPE]… [--attach SKU|ID|WORDS]…
                     [--replace ID|NAME] [--expires-in TIME] [--origin URL]
  stowage tokens ls
  stowage tokens revoke ID

  --max-bytes   the maximum size of all files together, such as 50MB
  --max-files   the maximum number of files (default: 1)
  --mime        an allowed media type, such as application/pdf or image/*; can be repeated
                (default: every type)
  -a, --attach  attach each file to a product, as in stowage upload; can be repeated
  --replace     upload new versions of this file instead of new assets
  --expires-in  how long the token can start uploads, such as 30m, up to 24h (default: 1h)
  --origin      the origin of the pages that may use the token, such as https://shop.example
${CONNECTION_HELP}
  --json        the token as a JSON object, with its limits; a JSON array for ls

A page uses the token instead of an API key. The token can only upload within these limits, and
resume, complete and cancel its own uploads. It is shown only once. It ends when it or the API key
of this command is revoked.

ls shows the tokens that can start uploads: those that were revoked or have expired are not shown.
revoke ends a token immediately, also for the uploads that it has started. list is an alias of ls.

Examples:
  stowage tokens add --max-bytes 20MB --mime 'image/*'
  stowage tokens add --max-bytes 5GB --max-files 10 --attach PACK-WAV --origin https://shop.example
`,
  async run([action, ...commandLine]) {
    const { values, positionals } = readOptions(commandLine, OPTIONS)
    const { mime, attach, replace, origin, json = false } = values
    if (action === 'ls' || action === 'list') {
      refuseArguments(positionals)
      return withClient(values, async (client) => {
        const found = await Array.fromAsync(client.uploadTokens({ limit: 1000 }))
        writeData(found, { json, text: tokenTable(found) })
        if (found.length === 0 && !json) writeMessage('No results.')
        return 0
      })
    }
    if (action === 'revoke') {
      const id = requireOneArgument(positionals, 'token ID')
      return withClient(values, async (client) => {
        await client.revokeUploadToken(id)
        writeData({ id, revoked: true }, { json, text: `${id} revoked` })
        return 0
      })
    }
    if (action !== 'add') {
      throw new UsageError(
        action === undefined ? 'Pass add, ls or revoke.' : `Unknown command tokens ${action}.`,
      )
    }
    refuseArguments(positionals)
    const maxBytes = readSize(values['max-bytes'])
    const maxFiles = readCount(values['max-files'], '--max-files')
    return withClient(values, async (client) => {
      const limits = omitUndefined({
        max_bytes: maxBytes,
        max_files: maxFiles,
        mime,
        attach: attach && (await getProducts(client, attach)).references,
        replace: replace && (await getAsset(client, replace)).id,
        expires_in: values['expires-in'],
        origin,
      })
      const created = await client.createUploadToken(limits as UploadTokenRequest)
      writeData(created, { json, text: created.token })
      if (json) return 0
      const files = maxFiles === undefined || maxFiles === 1 ? 'one file' : `${maxFiles} files`
      const until = `until ${formatMinute(created.expires_at)} UTC`
      writeMessage(
        `The token can upload ${files}, ${formatSize(maxBytes)} in total. It can start uploads ${until}.`,
      )
      return 0
    })
  },
}

function tokenTable(tokens: UploadToken[]): string {
  return table(
    [
      'ID',
      'FILES',
      'SIZE',
      { head: 'TYPES', dropOrder: 3, minWidth: 8 },
      { head: 'ORIGIN', dropOrder: 1, minWidth: 8 },
      { head: 'CREATED BY', dropOrder: 2, minWidth: 8 },
      'UNTIL (UTC)',
    ],
    tokens.map((token) => [
      token.id,
      String(token.max_files),
      formatSize(token.max_bytes),
      token.mime?.join(', ') ?? 'all',
      token.origin ?? 'all',
      token.created_by?.name ?? '-',
      formatMinute(token.expires_at),
    ]),
    { columns: tableWidth() },
  )
}

function readSize(text: string | undefined): number {
  if (text === undefined) throw new UsageError('No limit given. Pass --max-bytes, such as 50MB.')
  const bytes = parseSize(text)
  if (bytes !== undefined) return bytes
  throw new UsageError(`--max-bytes ${text}: must be a size such as 50MB or 1.5 GB.`)
}
