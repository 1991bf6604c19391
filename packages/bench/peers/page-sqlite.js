import { createHash } from 'node:crypto'
import { DatabaseSync } from 'node:sqlite'
import fastify from 'fastify'

/** A page by one query, and a counter by one query and one update, as durable as those of the service. */
const database = new DatabaseSync(process.env.FILE)
database.exec(`pragma journal_mode = wal; pragma synchronous = full;
  create table if not exists counters (id text primary key, used integer not null) strict, without rowid`)
const byToken = database.prepare('select * from orders where token_hash = ?')
const byReference = database.prepare('select id from orders where account_id = ? and reference = ?')
const count = database.prepare(
  'insert into counters (id, used) values (?, 1) on conflict (id) do update set used = used + 1 returning used',
)
const { id: account } = database.prepare("select id from accounts where name = 'default'").get()

const app = fastify()
app.get('/d/:token', async (request, reply) => {
  const hash = createHash('sha256').update(request.params.token).digest('hex')
  const order = byToken.get(hash)
  if (order === undefined) return reply.code(404).send()
  const page = `<!doctype html><title>Order</title><h1>Your files</h1><p>Order ${order.order_number}</p>`
  return reply.type('text/html; charset=utf-8').send(page)
})
app.post('/api/v1/orders/:reference/downloads', async (request, reply) => {
  const order = byReference.get(account, request.params.reference)
  if (order === undefined) return reply.code(404).send()
  const { used } = count.get(order.id + request.body.asset)
  return { url: `http://127.0.0.1/${order.id}`, used }
})
console.log(await app.listen({ port: 0, host: '127.0.0.1' }))
