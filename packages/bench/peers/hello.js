import fastify from 'fastify'

/** A minimal service with Fastify: a constant response. */
const app = fastify()
app.get('/healthz', async () => ({ status: 'ok' }))
console.log(await app.listen({ port: 0, host: '127.0.0.1' }))
