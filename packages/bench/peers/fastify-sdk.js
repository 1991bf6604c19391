import { randomUUID } from 'node:crypto'
import { CreateMultipartUploadCommand, S3Client, UploadPartCommand } from '@aws-sdk/client-s3'
import { getSignedUrl } from '@aws-sdk/s3-request-presigner'
import fastify from 'fastify'

/** The simplest service with Fastify and the AWS SDK: it stores and reserves nothing. */
const { BUCKET, ENDPOINT, REGION } = process.env
const CHUNK = 100_000_000
const client = new S3Client({
  endpoint: ENDPOINT,
  region: REGION,
  forcePathStyle: true,
  requestChecksumCalculation: 'WHEN_REQUIRED',
})

const app = fastify()
app.post('/sessions', async (request, reply) => {
  const { size, mime } = request.body
  const object = { Bucket: BUCKET, Key: randomUUID() }
  const command = new CreateMultipartUploadCommand({ ...object, ContentType: mime })
  const { UploadId } = await client.send(command)
  const parts = Array.from({ length: Math.ceil(size / CHUNK) }, (_, index) => index + 1)
  const urls = await Promise.all(
    parts.map((PartNumber) => {
      const part = new UploadPartCommand({ ...object, UploadId, PartNumber })
      return getSignedUrl(client, part, { expiresIn: 43_200 })
    }),
  )
  return reply.code(201).send({ id: object.Key, upload_id: UploadId, urls })
})
console.log(await app.listen({ port: 0, host: '127.0.0.1' }))
