import { DatabaseSync } from 'node:sqlite'
import fastify from 'fastify'

/** Returns one row by its ID, unchanged. */
const database = new DatabaseSync(process.env.FILE, { readOnly: true })
const byId = database.prepare('select * from assets where id = ?')

const app = fastify()
app.get('/assets/:id', async (request, reply) => {
  const row = byId.get(request.params.id)
  return row === undefined ? reply.code(404).send() : row
})
console.log(await app.listen({ port: 0, host: '127.0.0.1' }))
