import type { ObjectFacts, StoredPart } from './storage.ts'

/** Throws if the object does not have the size of the parts: then the parts may be the only copy of the file. */
export function checkStored(object: ObjectFacts | undefined, parts: StoredPart[]): void {
  const size = parts.reduce((sum, part) => sum + part.size, 0)
  if (object?.size === size) return
  const found = object === undefined ? 'no object is stored' : `the object has ${object.size} bytes`
  throw new Error(`the upload is not closed: its parts have ${size} bytes, but ${found}`)
}
