import { createWriteStream } from 'node:fs'
import { createServer } from 'node:http'
import { basename, join } from 'node:path'
import { pipeline } from 'node:stream/promises'

/** A minimal service that stores each body durably. */
const server = createServer(async (request, response) => {
  if (request.method !== 'PUT') return response.writeHead(200).end()
  const path = join(process.env.FOLDER, basename(request.url))
  // `flush` calls fsync before the file is closed, and `pipeline` waits for it.
  await pipeline(request, createWriteStream(path, { flush: true }))
  response.writeHead(201).end()
})
server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}`))
