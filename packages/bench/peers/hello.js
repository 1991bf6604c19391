import fastify from 'fastify'

/** The least that a service made with Fastify does. */
const app = fastify()
app.get('/healthz', async () => ({ status: 'ok' }))
await app.listen({ port: Number(process.env.PORT), host: '127.0.0.1' })
