import { Ignored, TextQuery } from './paging.ts'
import {
  Check,
  Nullable,
  PATH_PROBLEM,
  Problem,
  type Static,
  Strict,
  Type,
  Uuid,
} from './schema.ts'

/** The maximum number of folders in one response. */
export const MAX_FOLDERS = 200

const PATH_EXAMPLE = 'course/week 1'

export const Folder = Type.Object(
  {
    name: Type.String({ examples: ['week 1'] }),
    path: Type.String({ examples: [PATH_EXAMPLE] }),
    assets: Type.Integer({
      description: 'The number of ready assets in the folder and below it; counted up to 1,000',
      examples: [12],
    }),
    assets_is_exact: Type.Boolean({
      description: 'false: there are more assets. `GET /assets?path=…` counts all of them',
    }),
    has_folders: Type.Boolean({ description: 'Whether the folder has subfolders' }),
  },
  { title: 'Folder' },
)
export type Folder = Static<typeof Folder>

/** A folder, as a filter. */
export function FolderQuery(description: string) {
  return Type.String({
    maxLength: 513,
    description,
    ...Check('path-filter'),
    ...Problem(PATH_PROBLEM),
  })
}

export const ListFoldersQuery = Type.Object({
  path: Type.Optional(
    FolderQuery(
      'The folder whose direct subfolders are listed, such as `course`. Omitted or empty: the folders at the top',
    ),
  ),
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      default: 100,
      description: `Folders per response, at most ${MAX_FOLDERS}; larger values are reduced to ${MAX_FOLDERS}`,
      ...Problem('must be a whole number of 1 or more'),
    }),
  ),
  after: Type.Optional(
    TextQuery('The `meta.next_after` of the previous response: the name of its last folder'),
  ),
})
export type ListFoldersQuery = Static<typeof ListFoldersQuery>

export const FolderList = Type.Object(
  {
    data: Type.Array(Folder, { description: 'Sorted by name, as bytes of UTF-8' }),
    meta: Type.Object({
      next_after: Nullable('string', {
        description: 'Pass it as `after` to list the next folders; null at the end',
      }),
      ignored: Ignored,
    }),
  },
  { title: 'FolderList' },
)
export type FolderList = Static<typeof FolderList>

function folderName(description: string) {
  return Type.String({
    minLength: 1,
    maxLength: 513,
    description,
    examples: [PATH_EXAMPLE],
    ...Check('path-filter'),
    ...Problem(PATH_PROBLEM),
  })
}

export const MoveFolderRequest = Type.Object(
  {
    from: folderName('The folder to move, with everything below it'),
    to: folderName('Its new path. The folders above it need not exist'),
    merge: Type.Optional(
      Type.Boolean({
        description:
          'true: if `to` has assets, they stay, and those of `from` are added to them. Otherwise the call is refused with `folder_exists`',
        ...Problem('must be true or false'),
      }),
    ),
  },
  { title: 'MoveFolderRequest', ...Strict },
)
export type MoveFolderRequest = Static<typeof MoveFolderRequest>

export const FolderMove = Type.Object(
  {
    id: Uuid(),
    from: Type.String({ examples: ['course/week 1'] }),
    to: Type.String({ examples: ['course/introduction'] }),
    status: Type.Enum(['moving', 'moved'], {
      type: 'string',
      description: '`moving`: assets remain, and are moved in the background',
    }),
    moved: Type.Integer({
      description:
        'How many assets have their new path, including unfinished uploads and assets in the trash',
      examples: [12],
    }),
    created_at: Type.String({ format: 'date-time' }),
    finished_at: Nullable('string', { description: 'Null while `status` is `moving`' }),
  },
  { title: 'FolderMove' },
)
export type FolderMove = Static<typeof FolderMove>

export const FolderMoveResponse = Type.Object({ data: FolderMove }, { title: 'FolderMoveResponse' })
export type FolderMoveResponse = Static<typeof FolderMoveResponse>

export const FolderMoveList = Type.Object(
  { data: Type.Array(FolderMove, { description: 'Newest first' }) },
  { title: 'FolderMoveList' },
)
export type FolderMoveList = Static<typeof FolderMoveList>
