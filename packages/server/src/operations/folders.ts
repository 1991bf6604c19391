import type { FolderMoveOutcome } from '../database/folder-data.ts'
import { invalid, ServiceError } from '../domain/errors.ts'
import type { Folder, FolderMove } from '../domain/folder.ts'
import {
  folderOfFilter,
  MAX_PATH_LENGTH,
  normalizePath,
  problemWithPath,
  storedFolder,
} from '../domain/names.ts'
import type { AccountContext } from './context.ts'
import { unknownAssets } from './refusals.ts'

export interface FolderListRequest {
  /** The folder whose direct subfolders are listed, with or without a slash at its end. Empty or omitted: the root. */
  path?: string | undefined
  /** Continues after the subfolder with this name. */
  after?: string | undefined
  limit: number
}

export async function listFolders(
  { data }: AccountContext,
  { path = '', after, limit }: FolderListRequest,
): Promise<{ folders: Folder[]; nextAfter: string | undefined }> {
  const folder = folderOfFilter(path) ?? ''
  // One more folder shows whether another page follows.
  const found = await data.listFolders({
    folder,
    limit: limit + 1,
    ...(after !== undefined && { after: after.normalize('NFC') }),
  })
  const folders = found.slice(0, limit)
  const last = folders.at(-1)?.path.slice(folder.length)
  return { folders, nextAfter: found.length > limit ? last : undefined }
}

/** How many assets the call waits for. A job continues after them. */
const MAX_WAITED_FOR = 10_000

export interface FolderMoveRequest {
  from: string
  to: string
  /** Whether the target may have assets. */
  merge: boolean
}

/**
 * Moves a folder with everything that is in it and below it at the time of the call, in small transactions. If the call
 * is interrupted, a job continues.
 */
export async function moveFolder(
  context: AccountContext,
  request: FolderMoveRequest,
): Promise<FolderMove> {
  const data = context.dataOfCall()
  const from = readFolder('from', request.from)
  const to = readFolder('to', request.to)
  if (to.startsWith(from)) {
    throw invalid({
      to: [to === from ? 'must differ from `from`' : 'must not be inside the folder that is moved'],
    })
  }
  // Assets deep below the folder may get a longer path than is allowed.
  const growth = [...to].length - [...from].length
  const long = growth > 0 ? await data.findLongPath(from, MAX_PATH_LENGTH - growth) : undefined
  if (long !== undefined) {
    throw invalid({
      to: [
        `would give the folder ${long} a path of more than ${MAX_PATH_LENGTH} characters: choose a shorter name`,
      ],
    })
  }
  const { clock, newId } = context
  const move = { id: newId(), source: from, destination: to, createdAt: clock() }
  const outcome = await data.beginFolderMove(move, { merge: request.merge })
  if (outcome.outcome !== 'begun') throw refusalOf(outcome, request)
  let current = outcome.move
  for (let compared = 0; compared < MAX_WAITED_FOR; ) {
    const next = await data.continueFolderMove(current.id)
    if (next === undefined) break
    current = next.move
    if (next.isDone) break
    // Another instance may be moving the same assets.
    compared += Math.max(1, next.compared)
  }
  return current
}

function readFolder(field: 'from' | 'to', text: string): string {
  const path = text.replace(/\/$/, '')
  const problem = path === '' ? 'must name a folder' : problemWithPath(path)
  if (problem !== undefined) throw invalid({ [field]: [problem] })
  return storedFolder(normalizePath(path) ?? '')
}

function refusalOf(
  outcome: Exclude<FolderMoveOutcome, { outcome: 'begun' }>,
  { from, to }: FolderMoveRequest,
): ServiceError {
  if (outcome.outcome === 'folder_not_found') {
    return new ServiceError(
      'not_found',
      `There is no folder ${from}, or it has no assets. It may have been moved already: call GET /folders.`,
    )
  }
  if (outcome.outcome === 'target_exists') {
    const { assets, isExact } = outcome
    const count = `${isExact ? '' : 'more than '}${assets} ${assets === 1 ? 'asset' : 'assets'}`
    return new ServiceError(
      'folder_exists',
      `The folder ${to} already has ${count}. Send merge: true to add the assets of ${from} to it, or choose another name.`,
      { details: { assets } },
    )
  }
  if (outcome.outcome === 'overlaps') {
    const { move } = outcome
    return new ServiceError(
      'folder_move_in_progress',
      `The folder ${move.from} is still being moved to ${move.to}. Call GET /folders/moves until it is finished, then try again.`,
      { details: { move_id: move.id } },
    )
  }
  return new ServiceError(
    'folder_move_in_progress',
    'Too many moves of folders are unfinished. Call GET /folders/moves until one is finished, then try again.',
  )
}

export function listFolderMoves({ data }: AccountContext): Promise<FolderMove[]> {
  return data.listFolderMoves()
}

/** Moves the assets to a folder, all of them or none. Null or empty: to none. */
export async function moveAssets(
  { dataOfCall }: AccountContext,
  ids: string[],
  path: string | null,
): Promise<void> {
  const problem = path === null ? undefined : problemWithPath(path)
  if (problem !== undefined) throw invalid({ path: [problem] })
  const result = await dataOfCall().moveAssets(ids, normalizePath(path))
  if (result.outcome === 'assets_not_found') throw unknownAssets(result.unknown)
}
