import type { StorageIdentity } from './storage.ts'

/** The content of the identity file or object, as JSON. */
export function formatIdentity({ databaseId, storageId }: StorageIdentity): string {
  return `${JSON.stringify({ database: databaseId, storage: storageId })}\n`
}

/** The content of the file or object of the secret key: 32 bytes as base64. */
export function parseSecretKey(text: string, path: string): string {
  const key = text.trim()
  if (Buffer.from(key, 'base64').length === 32) return key
  throw new Error(
    `${path} does not contain a secret key. Restore it from a backup. If it is lost, delete this file or object and run: stowage adopt`,
  )
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
