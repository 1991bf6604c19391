import { randomUUID } from 'node:crypto'
import { DatabaseSync } from 'node:sqlite'
import fastify from 'fastify'

/** A minimal service that stores each request durably: one row in one transaction, synced to disk. */
const database = new DatabaseSync(process.env.FILE)
database.exec(`
  pragma journal_mode = wal;
  pragma synchronous = full;
  create table sessions (id text primary key, name text, size integer, mime text) strict;
`)
const insert = database.prepare('insert into sessions values (?, ?, ?, ?)')

const app = fastify()
app.post('/sessions', async (request, reply) => {
  const { name, size, mime } = request.body
  const id = randomUUID()
  database.exec('begin immediate')
  insert.run(id, name, size, mime)
  database.exec('commit')
  return reply.code(201).send({ id })
})
console.log(await app.listen({ port: 0, host: '127.0.0.1' }))
