import { type Client, isStowageError } from '@stowage/client'
import { heldElsewhere } from './upload-lock.ts'

/** An upload from before the page was loaded. It goes on when its file is chosen again. */
export interface OfferedUpload {
  id: string
  name: string
  size: number
  /** ISO 8601 */
  startedAt: string
  /** Why the file that was chosen is not taken. */
  problem: string | undefined
}

/** Those that were begun in this browser and can be gone on with. The others are forgotten. */
export async function* findOffers(client: Client): AsyncGenerator<OfferedUpload> {
  const isBusy = await heldElsewhere()
  for (const { id, name, size, startedAt } of await client.unfinished()) {
    if (id === undefined || isBusy({ name, size })) continue
    const asset = await client.asset(id).catch((error: unknown) => {
      if (!isStowageError(error, 'not_found')) throw error
    })
    if (asset?.status === 'uploading') yield { id, name, size, startedAt, problem: undefined }
    else await client.cancelUpload(id)
  }
}

/** By what can be seen at once: whether the content is the same is found out by the client. */
export function isFileOf({ name, size }: OfferedUpload, file: File): boolean {
  return file.name === name && file.size === size
}

export function whyNotFileOf({ name, size }: OfferedUpload, file: File): string | undefined {
  if (file.name !== name) return `You chose “${file.name}”. Choose the file called “${name}”.`
  if (file.size === size) return undefined
  return `The file you chose has ${file.size} bytes, not ${size}: it is not the one that was begun.`
}
