import { endpoints, MAX_FOLDERS } from '@stowage/protocol'
import { listFolderMoves, listFolders, moveFolder } from '../../operations/folders.ts'
import { presentFolder, presentFolderMove } from '../../wire/resources.ts'
import { presentIgnored } from '../responses/page.ts'
import { type RouteGroup, route } from '../route.ts'

const DEFAULT_FOLDERS = 100

export const folderRoutes: RouteGroup = (app, options) => {
  route(app, options, endpoints.listFolders, async ({ context, query }) => {
    const { path, after, limit = DEFAULT_FOLDERS } = query
    const request = { path, after, limit: Math.min(limit, MAX_FOLDERS) }
    const { folders, nextAfter = null } = await listFolders(context, request)
    const ignored = presentIgnored(Object.entries(query), endpoints.listFolders.query)
    return { data: folders.map(presentFolder), meta: { next_after: nextAfter, ...ignored } }
  })

  route(app, options, endpoints.moveFolder, async ({ context, body }) => {
    const { from, to, merge = false } = body
    return { data: presentFolderMove(await moveFolder(context, { from, to, merge })) }
  })

  route(app, options, endpoints.listFolderMoves, async ({ context }) => {
    return { data: (await listFolderMoves(context)).map(presentFolderMove) }
  })
}
