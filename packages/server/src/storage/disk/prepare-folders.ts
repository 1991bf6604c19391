import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { discard } from './discard.ts'
import { syncFolder } from './file-system.ts'
import { INCOMING_PREFIX, type Layout, objectFolder, parseUploadFolder, SEALED } from './layout.ts'
import { reopenSealed } from './reopen-sealed.ts'

const SECRET_LENGTH = 32

/** Creates the folders, cleans up after a crash, and returns the signing secret. */
export async function prepareFolders(layout: Layout): Promise<Buffer> {
  for (const folder of [layout.root, layout.uploads, layout.objects]) {
    await mkdir(folder, { recursive: true, mode: 0o700 })
  }
  await rm(layout.trash, { recursive: true, force: true })
  await mkdir(layout.trash, { mode: 0o700 })
  await reopenAllSealed(layout)
  await clearUploads(layout)
  return readOrCreateSecret(layout.secret)
}

async function reopenAllSealed(layout: Layout): Promise<void> {
  for (const name of await readdir(layout.uploads)) {
    if (!name.endsWith(SEALED)) continue
    const upload = parseUploadFolder(name.slice(0, -SEALED.length))
    if (upload !== undefined) await reopenSealed(layout, upload)
  }
}

/** Removes incomplete parts, and the folders of uploads whose objects exist. */
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

async function readOrCreateSecret(path: string): Promise<Buffer> {
  if (!existsSync(path)) await createSecret(path)
  const secret = Buffer.from((await readFile(path, 'utf8')).trim(), 'hex')
  if (secret.length !== SECRET_LENGTH) {
    throw new Error(
      `${path} does not contain a signing secret. Restore it, or delete it to create a new one (existing signed URLs stop working)`,
    )
  }
  return secret
}

/** Written to another name and renamed, so that the file is never incomplete. */
async function createSecret(path: string): Promise<void> {
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
