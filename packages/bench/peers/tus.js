import { createServer } from 'node:http'
import { FileStore } from '@tus/file-store'
import { Server } from '@tus/server'

/** The reference server of resumable uploads, on a folder. */
const datastore = new FileStore({ directory: process.env.FOLDER })
const tus = new Server({ path: '/files', datastore })
createServer((request, response) => tus.handle(request, response)).listen(
  Number(process.env.PORT),
  '127.0.0.1',
)
