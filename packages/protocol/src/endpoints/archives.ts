import { ArchiveRequest, ArchiveResponse } from '../archive.ts'
import { API_PREFIX, defineEndpoint } from '../endpoint.ts'
import { archiveExample, assetExample } from '../examples.ts'

export const createArchive = defineEndpoint({
  operationId: 'createArchive',
  methods: ['POST'],
  path: `${API_PREFIX}/archives`,
  tag: 'Assets',
  scope: 'read',
  summary: 'Download several files as a ZIP archive',
  description:
    'Returns the URL of a ZIP archive, and its exact size. The service writes the archive while it is downloaded: nothing is compressed or stored. ' +
    'The folders of the archive are the `path`s of the assets; names that occur twice get a number, as in `cover (2).jpg`. Links become files `NAME.url`.\n\n' +
    'The archive consists of the versions that the files have at the time of the call, and its bytes never change: an interrupted download continues with `Range`, on any instance. ' +
    'If a file is replaced meanwhile, the archive keeps the older version as long as that is kept. When it is no longer kept, or when a file was deleted, the URL returns `archive_outdated`. ' +
    'The URL also ends when the key that created it is revoked. ' +
    'While a new version of a file is compared with its declared SHA-256, and if it does not match, the archive has the previous version.\n\n' +
    'Repeating the call with the same assets returns the same archive with another URL, if no file has changed since. Archives are kept for 7 days after the call, at most 100 for each account.',
  body: ArchiveRequest,
  bodyExample: { ids: [assetExample.id] },
  success: {
    status: 200,
    description: 'The archive and its URL',
    schema: ArchiveResponse,
    example: { data: archiveExample },
  },
  errors: ['invalid', 'damaged', 'verifying', 'secret_key_missing', 'storage_full'],
})
