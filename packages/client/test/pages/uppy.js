import { stowage } from '@stowage/client/uppy'
import AwsS3 from '@uppy/aws-s3'
import Uppy from '@uppy/core'
import GoldenRetriever from '@uppy/golden-retriever'

/* A page with Uppy, without its dashboard. The test calls `open`, `add` and `command`, then `look`. */
let uppy
let results = []
let errors = []

globalThis.open = ({ products, ...options }) => {
  const attach = (file) => products?.[file.name]
  uppy = new Uppy().use(AwsS3, stowage({ ...options, attach })).use(GoldenRetriever)
  uppy.on('upload-success', (file, { body, uploadURL }) => {
    results.push({ name: file.name, key: body.key, uploadURL })
  })
  uppy.on('upload-error', (file, error) => errors.push(`${file.name}: ${error.message}`))
}

globalThis.add = (names = {}) => {
  for (const data of document.querySelector('input').files) {
    const id = uppy.addFile({ name: data.name, type: data.type, data })
    if (names[data.name]) uppy.setFileMeta(id, { name: names[data.name] })
  }
}

globalThis.command = (name) => {
  errors = []
  results = []
  uppy[name]()?.catch?.(() => {})
}

globalThis.look = () => ({
  results,
  errors,
  files: uppy.getFiles().map(({ name, s3Multipart, progress, isGhost }) => {
    return { name, isStarted: s3Multipart !== undefined, isGhost, bytes: progress.bytesUploaded }
  }),
})

/** Does what the button of Uppy's dashboard does when files are restored. */
globalThis.confirmRestored = () => uppy.emit('restore-confirmed')

/** Whether Golden Retriever has saved that an upload has started. */
globalThis.isRemembered = async () => {
  for (const { name } of await indexedDB.databases()) {
    const db = await settled(indexedDB.open(name))
    for (const store of db.objectStoreNames) {
      const rows = await settled(db.transaction(store).objectStore(store).getAll())
      if (rows.some(({ metadata }) => metadata?.includes('"s3Multipart":{'))) return true
    }
    db.close()
  }
  return false
}

function settled(request) {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => reject(request.error)
  })
}
