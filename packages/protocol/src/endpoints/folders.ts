import { API_PREFIX, defineEndpoint } from '../endpoint.ts'
import { folderExample, folderMoveExample } from '../examples.ts'
import {
  FolderList,
  FolderMoveList,
  FolderMoveResponse,
  ListFoldersQuery,
  MoveFolderRequest,
} from '../folder.ts'

export const listFolders = defineEndpoint({
  operationId: 'listFolders',
  methods: ['GET'],
  path: `${API_PREFIX}/folders`,
  tag: 'Folders',
  scope: 'read',
  summary: 'List subfolders',
  description:
    'Lists the direct subfolders of a folder that have ready assets, in them or below. `GET /assets?path=…&below=false` lists the assets of the folder itself.',
  query: ListFoldersQuery,
  success: {
    status: 200,
    description: 'The subfolders',
    schema: FolderList,
    example: { data: [folderExample], meta: { next_after: null } },
  },
  errors: [],
})

export const moveFolder = defineEndpoint({
  operationId: 'moveFolder',
  methods: ['POST'],
  path: `${API_PREFIX}/folders/move`,
  tag: 'Folders',
  scope: 'write',
  summary: 'Rename or move a folder',
  description:
    'Changes the `path` of everything that is in the folder or below it at the time of the call: ready assets, unfinished uploads, and assets in the trash. What arrives later under the old path stays there. Each of them has an event `asset.updated`; that of an asset in the trash has `deleted_at`. If the service is stopped meanwhile, or if there are more than 10,000 assets, the move continues in the background: `GET /folders/moves` shows its progress. Folders that are being moved cannot be moved again until then.',
  body: MoveFolderRequest,
  bodyExample: { from: folderMoveExample.from, to: folderMoveExample.to },
  success: {
    status: 202,
    description: 'The folder is moved, or is being moved',
    schema: FolderMoveResponse,
    example: { data: folderMoveExample },
  },
  errors: ['not_found', 'folder_exists', 'folder_move_in_progress'],
})

export const listFolderMoves = defineEndpoint({
  operationId: 'listFolderMoves',
  methods: ['GET'],
  path: `${API_PREFIX}/folders/moves`,
  tag: 'Folders',
  scope: 'read',
  summary: 'List the moves of folders',
  description: 'The unfinished moves with their progress, and the last 50 finished ones.',
  success: {
    status: 200,
    description: 'The moves',
    schema: FolderMoveList,
    example: { data: [folderMoveExample] },
  },
  errors: [],
})
