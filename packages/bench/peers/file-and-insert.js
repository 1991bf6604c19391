import { open } from 'node:fs/promises'
import { createServer } from 'node:http'
import { basename, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

/** A minimal service that stores each small file durably: the file, its name in the folder, and one row. */
const { FOLDER, FILE } = process.env
const database = new DatabaseSync(FILE)
database.exec(`
  pragma journal_mode = wal;
  pragma synchronous = full;
  create table files (name text primary key, size integer) strict;
`)
const insert = database.prepare('insert into files values (?, ?)')
const folder = await open(FOLDER)

const server = createServer(async (request, response) => {
  const name = basename(request.url)
  const bytes = Buffer.concat(await Array.fromAsync(request))
  const file = await open(join(FOLDER, name), 'wx')
  await file.writeFile(bytes)
  await file.sync()
  await file.close()
  await folder.sync()
  insert.run(name, bytes.length)
  response.writeHead(201).end()
})
server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}`))
