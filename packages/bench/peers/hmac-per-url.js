import { createHmac } from 'node:crypto'
import fastify from 'fastify'

/** A minimal service that signs the parts of a huge file: one HMAC per URL. It stores nothing. */
const CHUNK = 100_000_000
const BASE_URL = 'http://127.0.0.1/bucket/some-key?uploadId=VXBsb2FkIElEIG9mIHNvbWUgbGVuZ3Ro'

const app = fastify()
app.post('/api/v1/assets/signed', async (request, reply) => {
  const { size } = request.body
  const urls = Array.from({ length: Math.ceil(size / CHUNK) }, (_, index) => {
    const query = `&partNumber=${index + 1}`
    const signature = createHmac('sha256', 'secret')
      .update(BASE_URL + query)
      .digest('hex')
    const start = index * CHUNK
    const end = Math.min(size, start + CHUNK)
    return { start, end, part: index + 1, url: `${BASE_URL}${query}&signature=${signature}` }
  })
  return reply.code(201).send({ urls })
})
app.get('/healthz', async () => ({ status: 'ok' }))
console.log(await app.listen({ port: 0, host: '127.0.0.1' }))
