import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type BucketOptions, resolveLocation } from './s3-client.ts'

async function locationOf(bucket: string, options: Partial<BucketOptions>): Promise<string> {
  const none = { prefix: '', endpoint: undefined, region: undefined, pathStyle: false }
  const { origin, base } = await resolveLocation({ ...none, bucket, ...options })
  return origin + base
}

const region = 'eu-central-1'

test('the location is the host that the SDK itself calls', async () => {
  const endpoint = 'http://127.0.0.1:9000'
  const cases: [string, Partial<BucketOptions>, string][] = [
    ['files', { region }, 'https://files.s3.eu-central-1.amazonaws.com/'],
    ['files', { region, pathStyle: true }, 'https://s3.eu-central-1.amazonaws.com/files/'],
    ['files', { region: 'cn-north-1' }, 'https://files.s3.cn-north-1.amazonaws.com.cn/'],
    // Wildcard certificates don't cover a bucket name with dots.
    ['my.files', { region }, 'https://s3.eu-central-1.amazonaws.com/my.files/'],
    ['files', { region, endpoint, pathStyle: true }, `${endpoint}/files/`],
    ['files', { region, endpoint: `${endpoint}/s3`, pathStyle: true }, `${endpoint}/s3/files/`],
    ['files', { region, endpoint: 'https://s3.example.com' }, 'https://files.s3.example.com/'],
  ]
  for (const [bucket, options, expected] of cases) {
    assert.equal(await locationOf(bucket, options), expected)
  }
})

test('the endpoint in AWS_ENDPOINT_URL_S3 is used', async (t) => {
  process.env.AWS_ENDPOINT_URL_S3 = 'https://store.example.com:8443'
  t.after(() => delete process.env.AWS_ENDPOINT_URL_S3)
  assert.equal(
    await locationOf('files', { region, pathStyle: true }),
    'https://store.example.com:8443/files/',
  )
})

test('an unknown region is an error that names the setting', async (t) => {
  const before = process.env
  t.after(() => {
    process.env = before
  })
  const { AWS_REGION: _, ...others } = before
  process.env = { ...others, AWS_CONFIG_FILE: '/nonexistent' }
  await assert.rejects(locationOf('files', {}), /set STOWAGE_S3_REGION/)
})
