import fastify from 'fastify'

/** The minimum of a service with Fastify. */
const app = fastify()
app.get('/healthz', async () => ({ status: 'ok' }))
console.log(await app.listen({ port: 0, host: '127.0.0.1' }))
