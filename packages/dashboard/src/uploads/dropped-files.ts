/** What systems leave in folders for themselves. */
const JUNK = new Set(['.DS_Store', 'Thumbs.db', 'desktop.ini'])

/** All files of a drop, those in folders too. To be called in the drop's own turn. */
export async function droppedFiles(transfer: DataTransfer): Promise<File[]> {
  // Once the event is over the browser forgets them.
  const entries = Array.from(transfer.items, (item) => item.webkitGetAsEntry())
  const files = Array.from(transfer.files)
  const found = entries.filter((entry) => entry !== null)
  if (found.length === 0) return files
  const all = await Promise.all(found.map(filesOf))
  return all.flat()
}

async function filesOf(entry: FileSystemEntry): Promise<File[]> {
  if (JUNK.has(entry.name)) return []
  if (isFile(entry))
    return [await new Promise<File>((resolve, reject) => entry.file(resolve, reject))]
  const files: File[] = []
  const reader = (entry as FileSystemDirectoryEntry).createReader()
  for (;;) {
    // Browsers give them a hundred at a time.
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) =>
      reader.readEntries(resolve, reject),
    )
    if (some.length === 0) return files
    for (const inside of some) files.push(...(await filesOf(inside)))
  }
}

function isFile(entry: FileSystemEntry): entry is FileSystemFileEntry {
  return entry.isFile
}
