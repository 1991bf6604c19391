import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { discard } from './discard.ts'
import { syncFolder } from './file-system.ts'
import { INCOMING_PREFIX, type Layout, objectFolder, parseUploadFolder, SEALED } from './layout.ts'
import { reopenSealed } from './reopen-sealed.ts'

const SECRET_LENGTH = 32

/** Makes the folders, clears what a crash left half done, and returns the signing secret. */
export async function prepareFolders(layout: Layout): Promise<Buffer> {
  for (const folder of [layout.root, layout.uploads, layout.objects]) {
    await mkdir(folder, { recursive: true, mode: 0o700 })
  }
  await rm(layout.trash, { recursive: true, force: true })
  await mkdir(layout.trash, { mode: 0o700 })
  await reopenAllSealed(layout)
  await clearUploads(layout)
  return readOrMakeSecret(layout.secret)
}

async function reopenAllSealed(layout: Layout): Promise<void> {
  for (const name of await readdir(layout.uploads)) {
    if (!name.endsWith(SEALED)) continue
    const upload = parseUploadFolder(name.slice(0, -SEALED.length))
    if (upload !== undefined) await reopenSealed(layout, upload)
  }
}

/** Removes parts that were cut off, and the folders of uploads that are objects already. */
async function clearUploads(layout: Layout): Promise<void> {
  for (const folderName of await readdir(layout.uploads)) {
    const upload = parseUploadFolder(folderName)
    if (upload === undefined) continue
    const folder = join(layout.uploads, folderName)
    if (existsSync(objectFolder(layout, upload.key))) {
      await discard(layout, folder)
      continue
    }
    for (const name of await readdir(folder)) {
      if (name.startsWith(INCOMING_PREFIX)) await rm(join(folder, name), { force: true })
    }
  }
}

async function readOrMakeSecret(path: string): Promise<Buffer> {
  if (!existsSync(path)) await makeSecret(path)
  const secret = Buffer.from((await readFile(path, 'utf8')).trim(), 'hex')
  if (secret.length !== SECRET_LENGTH) {
    throw new Error(
      `${path} does not hold a signing secret: restore it, or delete it to make a new one (addresses given out so far stop working)`,
    )
  }
  return secret
}

/** Written beside its place and renamed: it is there whole or not at all. */
async function makeSecret(path: string): Promise<void> {
  const file = await open(`${path}.new`, 'w', 0o600)
  try {
    await file.writeFile(randomBytes(SECRET_LENGTH).toString('hex'))
    await file.sync()
  } finally {
    await file.close()
  }
  await rename(`${path}.new`, path)
  await syncFolder(dirname(path))
}
