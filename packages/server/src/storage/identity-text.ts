import type { StorageIdentity } from './storage.ts'

/** The content of the identity file or object, as JSON. */
export function formatIdentity({ databaseId, storageId }: StorageIdentity): string {
  return `${JSON.stringify({ database: databaseId, storage: storageId })}\n`
}

export function parseIdentity(text: string, path: string): StorageIdentity {
  try {
    const { database, storage } = JSON.parse(text)
    if (typeof database === 'string' && typeof storage === 'string') {
      return { databaseId: database, storageId: storage }
    }
  } catch {}
  throw new Error(
    `${path} does not contain a storage identity. Restore it, or delete it and run: stowage adopt`,
  )
}
