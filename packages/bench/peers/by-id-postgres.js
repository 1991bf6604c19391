import fastify from 'fastify'
import postgres from 'postgres'

/** Returns one row by its ID, unchanged. */
const sql = postgres(process.env.DATABASE, { max: 10 })

const app = fastify()
app.get('/assets/:id', async (request, reply) => {
  const [row] = await sql`select * from assets where id = ${request.params.id}`
  return row === undefined ? reply.code(404).send() : row
})
console.log(await app.listen({ port: 0, host: '127.0.0.1' }))
