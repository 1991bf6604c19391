import { lstat, mkdir, realpath, stat } from 'node:fs/promises'
import { join, parse, sep } from 'node:path'
import { makeFolder } from '@stowage/client/internal/files'
import type { Asset, NodeClient } from '@stowage/client/node'
import {
  FILTER_HELP,
  FILTER_OPTIONS,
  forEachAsset,
  getAssets,
  readFilters,
  refuseWithoutAll,
} from '../assets.ts'
import { CONNECTION_HELP, CONNECTION_OPTIONS, type Connection, withClient } from '../connection.ts'
import {
  isFolder,
  type SaveOptions,
  safeName,
  saveAsset,
  saveZip,
  streamAsset,
  targetPath,
} from '../downloads.ts'
import { INTERRUPTED, onInterrupt } from '../interrupt.ts'
import { ignoreClosedOutput, writeItem, writeMessage } from '../output.ts'
import { sanitize } from '../terminal/sanitize.ts'
import {
  type Command,
  CommandFailed,
  readCount,
  readOptions,
  requireArguments,
  UsageError,
} from '../usage.ts'

const OPTIONS = {
  ...CONNECTION_OPTIONS,
  ...FILTER_OPTIONS,
  output: { type: 'string', short: 'o' },
  into: { type: 'string' },
  version: { type: 'string' },
  all: { type: 'boolean' },
  zip: { type: 'string' },
  force: { type: 'boolean', short: 'f' },
} as const

type Values = ReturnType<typeof readOptions<typeof OPTIONS>>['values']

export const get: Command = {
  help: `stowage get: download assets

Usage:
  stowage get ID|NAME… [--version N] [-o PATH|FOLDER|-] [--force]
  stowage get --all --into FOLDER [--search WORDS] [--path FOLDER] [--attached | --unattached]
              [--sku SKU] [--force]
  stowage get --zip FILE|FOLDER (ID|NAME… | --all [--search WORDS] [--path FOLDER] …) [--force]

  -o, --output  a file, a folder, or - for standard output (default: a file in this folder with the
                name of the asset, in which unsafe characters are replaced)
  --version     this version of the file, as stowage versions lists it (default: the current one)
  --all         all files, or those that match the filters; link assets are not included
  --zip         one ZIP archive of all assets, with their folders; link assets become .url files
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

An interrupted --zip also resumes, if no file has changed since. It verifies the CRC-32 of each
file.

Exit codes: 0 all downloaded · 1 some failed (see standard error) · 2 wrong usage
            130 interrupted

Examples:
  stowage get sample-pack.zip
  stowage get 01981d2c-5a7e-7c31-9d0a-6f1b2c3d4e5f -o /srv/backup/
  stowage get presets.tar.gz -o - | tar tz
  stowage get handbook.pdf --version 2 -o handbook-v2.pdf
  stowage get --all --into backup --path course/
  stowage get --zip course.zip --all --path course
`,
  async run(commandLine) {
    const { values, positionals } = readOptions(commandLine, OPTIONS)
    const read = values.zip !== undefined ? readZip : values.all ? readAll : readNamed
    const work = await read(values, positionals)
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
  const version = readCount(values.version, '--version')
  const wanted = requireArguments(names, 'asset')
  if (version !== undefined && wanted.length > 1) {
    throw new UsageError('--version needs one asset. Pass only one.')
  }
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
      const saved = await saveAsset(client, asset, { path, force, signal, version })
      writeItem({ asset, path: saved }, { json, text: sanitize(saved) })
    }
    const found = await getAssets(client, wanted)
    const assets = version === undefined ? found : [await getVersion(client, found, version)]
    return forEachAsset(assets, { connection, json }, save)
  }
}

/** The asset with the file of an older version. Throws `CommandFailed` if the version is not kept. */
async function getVersion(client: NodeClient, [asset]: Asset[], version: number): Promise<Asset> {
  if (asset === undefined || asset.version === version) return asset as Asset
  const versions = asset.is_file ? await client.versions(asset.id) : []
  const found = versions.find((one) => one.version === version)
  if (found === undefined) {
    throw new CommandFailed(
      `${sanitize(asset.filename)} has no version ${version}. Run stowage versions to list those that are kept.`,
    )
  }
  const { filename, size, bytes, mime, checksum, damaged } = found
  return { ...asset, version, filename, size, bytes, mime, checksum, damaged }
}

/** Checks the command line, and returns a function that downloads the assets as one archive. */
function readZip(values: Values, names: string[]) {
  const { zip: path = '', force = false, all = false } = values
  if (path === '') throw new UsageError('--zip needs a file or a folder.')
  for (const option of ['into', 'output', 'version'] as const) {
    if (values[option] !== undefined) {
      throw new UsageError(`Pass either --zip or --${option}.`)
    }
  }
  if (all && names.length > 0) throw new UsageError('Pass either --all or names.')
  if (!all) refuseWithoutAll(values, [])
  const wanted = all ? [] : requireArguments(names, 'asset')
  const filters = readFilters(values)
  return async ({ client, signal, json }: DownloadContext) => {
    // A name that is not found, or found several times, is refused before anything is downloaded.
    const selection = all
      ? { filter: filters }
      : { ids: (await getAssets(client, wanted)).map(({ id }) => id) }
    const { archive, path: saved } = await saveZip(client, selection, { path, force, signal })
    writeItem({ archive, path: saved }, { json, text: sanitize(saved) })
    return 0
  }
}

/** Checks the command line, and returns a function that downloads all assets into a folder. */
function readAll(values: Values, names: string[]) {
  const { into: root, force = false } = values
  if (names.length > 0) throw new UsageError('Pass either --all or names.')
  if (values.output !== undefined) throw new UsageError('--all needs --into instead of --output.')
  if (values.version !== undefined) throw new UsageError('--version needs a name, not --all.')
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

interface FolderCounts {
  downloaded: number
  /** Files that already existed with the size of the asset. */
  skipped: number
}

/**
 * `save` saves an asset below `root`, in the folder of its path. Assets must be saved one by one, in the order of their
 * names. `counts` has the results.
 */
function createFolderSaver(
  client: NodeClient,
  { root, json, ...options }: SaveOptions & { root: string; json: boolean },
) {
  const targetOf = createFolderTargets()
  const counts: FolderCounts = { downloaded: 0, skipped: 0 }

  async function save(asset: Asset): Promise<void> {
    const segments = targetOf(asset)
    const folder = await enterFolder(root, segments.slice(0, -1))
    const path = join(folder, segments.at(-1) ?? '')
    await refuseFolder(path)
    if (!options.force && (await isAlreadySaved(path, asset))) {
      counts.skipped += 1
      if (json) writeItem({ asset, path, skipped: true }, { json, text: '' })
      return
    }
    await saveAsset(client, asset, { ...options, path })
    counts.downloaded += 1
    writeItem({ asset, path }, { json, text: sanitize(path) })
  }

  return { save, counts }
}

/**
 * Whether the file exists with the size of the asset, and is not older than its current version. Throws if a
 * different file exists, so that it is not overwritten.
 */
async function isAlreadySaved(
  path: string,
  { bytes, version, updated_at }: Asset,
): Promise<boolean> {
  const stats = await lstat(path).catch(() => undefined)
  if (stats === undefined) return false
  const isOutdated = version > 1 && stats.mtimeMs < Date.parse(updated_at)
  if (stats.isFile() && stats.size === bytes && !isOutdated) return true
  const sizes = `with ${stats.size} bytes instead of ${bytes}`
  const difference = stats.size === bytes ? 'and is older than the current version' : sizes
  const problem = stats.isFile() ? difference : 'and is not a file'
  throw new CommandFailed(
    `${sanitize(path)} already exists, ${problem}. Move it, or pass --force to overwrite it.`,
  )
}

/** `downloadTo` would save the file in the folder, which may be a symbolic link to a folder outside of the root. */
async function refuseFolder(path: string): Promise<void> {
  const stats = await stat(path).catch(() => undefined)
  if (!stats?.isDirectory()) return
  throw new CommandFailed(`${sanitize(path)} already exists, and is a folder. Move it.`)
}

/**
 * Returns a function that gives each asset its own path below a folder, as segments: the folders of the
 * asset's path and its name, all sanitized. Assets must be passed in the order in which the service sorts names, because
 * only the paths of the current name are remembered. If an earlier asset has the same path, or if the name had to
 * be changed, the ID is added to the name. So no two assets share a file, and every run chooses the same files.
 */
export function createFolderTargets(): (asset: Asset) => string[] {
  let name = ''
  let used = new Set<string>()

  return ({ id, filename, path }) => {
    const sorted = sortName(filename)
    if (sorted !== name) {
      name = sorted
      used = new Set()
    }
    const folders = (path ?? '').split('/').filter(Boolean).map(safeName)
    const safe = safeName(filename)
    const key = fold([...folders, safe].join('/'))
    const isFree = safe === filename && !used.has(key)
    used.add(key)
    return [...folders, isFree ? safe : withId(safe, id)]
  }
}

function withId(filename: string, id: string): string {
  const { name, ext } = parse(filename)
  return safeName(`${shortened(name, ext, id)} (${id})${ext}`)
}

/** Leaves room for the ID, which must not be cut off. */
function shortened(name: string, ext: string, id: string): string {
  const characters = [...name]
  while (Buffer.byteLength(`${characters.join('')} (${id})${ext}`) > 255 && characters.length > 1) {
    characters.pop()
  }
  return characters.join('')
}

/** Equal for names that the service sorts as equal: `track 1` and `track 01`. */
function sortName(filename: string): string {
  return fold(filename).replaceAll(/(?<![0-9])0+(?=[0-9])/g, '')
}

/** Folds names as the service does when it sorts them. On some systems, names that differ only in case are one file. */
function fold(text: string): string {
  const folded = text.normalize('NFKC').toLowerCase().toUpperCase().toLowerCase()
  return folded.replaceAll('ς', 'σ').normalize('NFKC')
}

/**
 * Creates the folders below `root` and returns the path of the last one. Refuses to follow a symlink out of
 * `root`, and to replace a file.
 */
async function enterFolder(root: string, folders: string[]): Promise<string> {
  await makeFolder(root)
  const real = await realpath(root)
  let path = root
  for (const folder of folders) {
    path = join(path, folder)
    await mkdir(path).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error
    })
    const target = await realpath(path).catch(() => undefined)
    if (target === undefined || !`${target}${sep}`.startsWith(withSeparator(real))) {
      throw new CommandFailed(
        `${sanitize(path)} is a symbolic link that points outside of ${sanitize(root)}. Remove it, or pass another folder.`,
      )
    }
    if (!(await lstat(target)).isDirectory()) {
      throw new CommandFailed(
        `Cannot create the folder ${sanitize(path)}: a file has this name. Move the file, or pass another folder.`,
      )
    }
  }
  return path
}

/** The root of the file system ends with a separator already. */
function withSeparator(path: string): string {
  return path.endsWith(sep) ? path : `${path}${sep}`
}
