import type { ObjectFacts, StorageIdentity, StoredPart } from './storage.ts'

/** Throws if the object does not have the size of the parts: then the parts may be the only copy of the file. */
export function checkStored(object: ObjectFacts | undefined, parts: StoredPart[]): void {
  const size = parts.reduce((sum, part) => sum + part.size, 0)
  if (object?.size === size) return
  const found = object === undefined ? 'no object is stored' : `the object has ${object.size} bytes`
  throw new Error(`the upload is not closed: its parts have ${size} bytes, but ${found}`)
}

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
