import type { UnfinishedUpload } from '@stowage/client'

type File = Pick<UnfinishedUpload, 'name' | 'size'>

const nameOf = ({ name, size }: File) => `stowage upload ${size} ${name}`

/** Undefined on insecure pages. Uploads in other tabs are not detected there. */
const locks = (): LockManager | undefined => navigator.locks

/** Shows other tabs that this tab is uploading the file, until the promise settles. */
export function lockUpload(file: File, ended: Promise<unknown>): void {
  const settled = ended.catch(() => {})
  void locks()?.request(nameOf(file), { mode: 'shared' }, () => settled)
}

/** Returns a function that reports whether another tab is uploading a file. */
export async function findLockedUploads(): Promise<(file: File) => boolean> {
  const { held = [] } = (await locks()?.query()) ?? {}
  const names = new Set(held.map(({ name }) => name))
  return (file) => names.has(nameOf(file))
}
