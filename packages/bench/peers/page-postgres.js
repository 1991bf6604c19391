import { createHash } from 'node:crypto'
import fastify from 'fastify'
import postgres from 'postgres'

/** A page by one query, and a counter by one query and one update, as durable as those of the service. */
const sql = postgres(process.env.DATABASE, { max: 10, onnotice: () => {} })
await sql`create table if not exists counters (id text primary key, used integer not null)`
const [{ id: account }] = await sql`select id from accounts where name = 'default'`

const app = fastify()
app.get('/d/:token', async (request, reply) => {
  const hash = createHash('sha256').update(request.params.token).digest('hex')
  const [order] = await sql`select * from orders where token_hash = ${hash}`
  if (order === undefined) return reply.code(404).send()
  const page = `<!doctype html><title>Order</title><h1>Your files</h1><p>Order ${order.order_number}</p>`
  return reply.type('text/html; charset=utf-8').send(page)
})
app.post('/api/v1/orders/:reference/downloads', async (request, reply) => {
  const { reference } = request.params
  const [order] =
    await sql`select id from orders where account_id = ${account} and reference = ${reference}`
  if (order === undefined) return reply.code(404).send()
  const [{ used }] = await sql`
    insert into counters (id, used) values (${order.id + request.body.asset}, 1)
    on conflict (id) do update set used = counters.used + 1 returning used`
  return { url: `http://127.0.0.1/${order.id}`, used }
})
console.log(await app.listen({ port: 0, host: '127.0.0.1' }))
