import { createServer } from 'node:http'
import { FileStore } from '@tus/file-store'
import { Server } from '@tus/server'

/** The reference server of the tus protocol, storing files in a folder. */
const datastore = new FileStore({ directory: process.env.FOLDER })
const tus = new Server({ path: '/files', datastore })
const server = createServer((request, response) => tus.handle(request, response))
server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}`))
