import { open } from 'node:fs/promises'
import { createServer } from 'node:http'
import { basename, join } from 'node:path'
import { pipeline } from 'node:stream/promises'

/** The least that puts a body on the disk for good. */
const server = createServer(async (request, response) => {
  if (request.method !== 'PUT') return response.writeHead(200).end()
  const file = await open(join(process.env.FOLDER, basename(request.url)), 'w')
  await pipeline(request, file.createWriteStream({ autoClose: false }))
  await file.sync()
  await file.close()
  response.writeHead(201).end()
})
server.listen(Number(process.env.PORT), '127.0.0.1')
