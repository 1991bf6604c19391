import type { UnfinishedUpload } from '@stowage/client'

type File = Pick<UnfinishedUpload, 'name' | 'size'>

const nameOf = ({ name, size }: File) => `stowage upload ${size} ${name}`

/** Where the page is not secure there are no locks: then other tabs are not known of. */
const locks = (): LockManager | undefined => navigator.locks

/** Other tabs see that the file is being sent here, for as long as the promise is open. */
export function holdWhile(ended: Promise<unknown>, file: File): void {
  const settled = ended.catch(() => {})
  void locks()?.request(nameOf(file), { mode: 'shared' }, () => settled)
}

/** Tells whether a file is being sent in another tab: it is not unfinished, then. */
export async function heldElsewhere(): Promise<(file: File) => boolean> {
  const { held = [] } = (await locks()?.query()) ?? {}
  const names = new Set(held.map(({ name }) => name))
  return (file) => names.has(nameOf(file))
}
