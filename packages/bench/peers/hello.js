import fastify from 'fastify'

/** The least that a service made with Fastify does. */
const app = fastify()
app.get('/healthz', async () => ({ status: 'ok' }))
console.log(await app.listen({ port: 0, host: '127.0.0.1' }))
