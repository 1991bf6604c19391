import { createRequire } from 'node:module'
import * as companion from '@uppy/companion'

const { app: makeApp } = companion.default ?? companion
const require = createRequire(import.meta.url)
const express = createRequire(require.resolve('@uppy/companion'))('express')

/** Uppy's server. Only its S3 endpoints are used: clients upload directly to the bucket. */
const { BUCKET, ENDPOINT, REGION, FOLDER } = process.env
const { app } = makeApp({
  server: { host: '127.0.0.1', protocol: 'http' },
  filePath: FOLDER,
  secret: 'any secret',
  uploadUrls: [/.*/],
  corsOrigins: true,
  s3: {
    key: process.env.AWS_ACCESS_KEY_ID,
    secret: process.env.AWS_SECRET_ACCESS_KEY,
    bucket: BUCKET,
    region: REGION,
    endpoint: ENDPOINT,
    forcePathStyle: true,
    expires: 43_200,
  },
})
const server = express().use(app).listen(0, '127.0.0.1')
server.once('listening', () => console.log(`http://127.0.0.1:${server.address().port}`))
