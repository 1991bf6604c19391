import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { ConfigError, readConfig } from './config.ts'

function problemsOf(environment: Record<string, string>): string[] {
  try {
    readConfig(environment)
    return []
  } catch (error) {
    assert.ok(error instanceof ConfigError)
    return error.problems
  }
}

test('without settings, the service uses loopback, SQLite and the disk', () => {
  const config = readConfig({ PATH: '/bin' })
  assert.equal(config.host, '127.0.0.1')
  assert.equal(config.port, 4000)
  assert.equal(config.database.kind, 'sqlite')
  assert.ok(config.storage.kind === 'disk')
  assert.equal(config.storage.port, 4001)
  assert.equal(config.chunkSize, 100_000_000)
  assert.equal(config.signedForMs, 12 * 3_600_000)
  assert.equal(config.uploadsKeptForMs, 7 * 24 * 3_600_000)
  assert.equal(config.keepVersions, 5)
  assert.equal(config.trashForMs, 30 * 24 * 3_600_000)
  assert.equal(config.eventsForMs, 30 * 24 * 3_600_000)
  assert.equal(config.checksums, true)
  assert.equal(config.scrubEveryMs, 30 * 24 * 3_600_000)
  assert.equal(config.logLevel, 'info')
})

test('settings override the defaults on SQLite and disk', () => {
  const config = readConfig({
    STOWAGE_HOST: '::1',
    STOWAGE_PORT: '0',
    STOWAGE_BASE_URL: 'https://files.example.com/',
    STOWAGE_DATA: '/srv/stowage',
    STOWAGE_DATABASE: 'sqlite',
    STOWAGE_STORAGE: 'disk',
    STOWAGE_STORAGE_PORT: '0',
    STOWAGE_STORAGE_URL: 'https://parts.example.com/store/',
    STOWAGE_DISK_RESERVE: '5GB',
    STOWAGE_DISK_FAST_BODY: 'false',
    STOWAGE_MIGRATE: 'off',
    STOWAGE_AUTH: 'keys',
    STOWAGE_ADMIN_KEY: 'k'.repeat(32),
    STOWAGE_ADMIN_KEY_PREVIOUS: 'p'.repeat(32),
    STOWAGE_TRUST_PROXY: '1',
    STOWAGE_SECRET_KEY: 'ab'.repeat(32),
    STOWAGE_RATE_LIMIT: '600',
    STOWAGE_PLAN_STORAGE: '500GB',
    STOWAGE_CHUNK_SIZE: '8MiB',
    STOWAGE_SIGNED_FOR: '30m',
    STOWAGE_UPLOADS_KEPT_FOR: '2d',
    STOWAGE_KEEP_VERSIONS: '0',
    STOWAGE_TRASH_FOR: '0',
    STOWAGE_EVENTS_FOR: '90d',
    STOWAGE_EVENTS_SIZE: '5GB',
    STOWAGE_DOWNLOADS_FOR: '10d',
    STOWAGE_CHECKSUMS: 'off',
    STOWAGE_SCRUB_EVERY: '0',
    STOWAGE_METRICS_PORT: '9100',
    STOWAGE_LOG: 'warn',
    STOWAGE_SMTP_URL: 'smtp://stowage%40example.com:p%3Aw@mail.example.com',
    STOWAGE_MAIL_FROM: 'Sounds <files@example.com>',
    STOWAGE_MAIL_REPLY_TO: 'help@example.com',
    STOWAGE_MAIL_RATE: '600',
  })
  assert.deepEqual(config, {
    host: '::1',
    port: 0,
    baseUrl: 'https://files.example.com',
    dataDirectory: '/srv/stowage',
    database: { kind: 'sqlite', file: '/srv/stowage/stowage.db' },
    storage: {
      kind: 'disk',
      directory: '/srv/stowage/storage',
      port: 0,
      url: 'https://parts.example.com/store',
      reserve: 5_000_000_000,
      fastBody: false,
    },
    migrate: 'off',
    auth: { kind: 'keys', adminKey: 'k'.repeat(32), previousAdminKey: 'p'.repeat(32) },
    trustProxy: { kind: 'count', count: 1 },
    secretKey: Buffer.alloc(32, 0xab).toString('base64'),
    rateLimit: 600,
    planStorage: 500_000_000_000,
    chunkSize: 8_388_608,
    signedForMs: 1_800_000,
    uploadsKeptForMs: 2 * 24 * 3_600_000,
    keepVersions: 0,
    trashForMs: 0,
    eventsForMs: 90 * 24 * 3_600_000,
    eventsMaxBytes: 5_000_000_000,
    downloadsForMs: 10 * 24 * 3_600_000,
    deliver: 'redirect',
    checksums: false,
    scrubEveryMs: 0,
    webhookTargets: 'public',
    mail: {
      smtp: {
        host: 'mail.example.com',
        port: 587,
        isSecure: false,
        startTls: 'required',
        auth: { user: 'stowage@example.com', pass: 'p:w' },
      },
      from: { name: 'Sounds', address: 'files@example.com' },
      replyTo: 'help@example.com',
      noticesPerMinute: 600,
    },
    metricsPort: 9100,
    logLevel: 'warn',
  })
})

test('parts of more than 5 GiB are refused, because S3 does not accept them', () => {
  assert.equal(problemsOf({ STOWAGE_CHUNK_SIZE: '5GiB' }).length, 0)
  assert.match(problemsOf({ STOWAGE_CHUNK_SIZE: '6GB' })[0] ?? '', /at most 5 GiB/)
})

test('uploads cannot expire before their URLs', () => {
  assert.deepEqual(problemsOf({ STOWAGE_UPLOADS_KEPT_FOR: '1h' }), [
    'STOWAGE_UPLOADS_KEPT_FOR=1h: must not be shorter than STOWAGE_SIGNED_FOR (12 h), the validity of the URLs',
  ])
  assert.deepEqual(problemsOf({ STOWAGE_UPLOADS_KEPT_FOR: '1h', STOWAGE_SIGNED_FOR: '1h' }), [])
  assert.equal(problemsOf({ STOWAGE_UPLOADS_KEPT_FOR: '366d' }).length, 1)
})

test('the number of kept versions is from 0 to 100', () => {
  assert.deepEqual(problemsOf({ STOWAGE_KEEP_VERSIONS: '100' }), [])
  for (const count of ['101', '-1', '1.5', 'all']) {
    assert.match(problemsOf({ STOWAGE_KEEP_VERSIONS: count })[0] ?? '', /from 0 to 100/)
  }
})

test('all problems are reported together', () => {
  const problems = problemsOf({
    STOWAGE_PORT: '70000',
    STOWAGE_HOST: 'not a host',
    STOWAGE_CHUNK_SIZE: '0',
    STOWAGE_SIGNED_FOR: '8d',
    STOWAGE_BASE_URL: 'ftp://x',
    STOWAGE_LOG: 'loud',
    STOWAGE_DATABASE: 'mysql://localhost/stowage',
    STOWAGE_STORAGE: 'ftp://bucket',
  })
  assert.equal(problems.length, 8)
})

test('an unknown setting is refused, and the closest known one is suggested', () => {
  assert.deepEqual(problemsOf({ STOWAGE_STORAGE_PROT: '1' }), [
    'STOWAGE_STORAGE_PROT: unknown setting; did you mean STOWAGE_STORAGE_PORT?',
  ])
})

test('the settings of the client commands are ignored', () => {
  const settings = { STOWAGE_URL: 'https://files.example.com', STOWAGE_API_KEY: 'stow_x' }
  assert.deepEqual(readConfig(settings), readConfig({}))
})

test('S3 is configured by a bucket, with or without a prefix and an endpoint', () => {
  assert.deepEqual(readConfig({ STOWAGE_STORAGE: 's3://files' }).storage, {
    kind: 's3',
    bucket: 'files',
    prefix: '',
    endpoint: undefined,
    region: undefined,
    pathStyle: false,
    maxParts: 10_000,
  })
  const config = readConfig({
    STOWAGE_STORAGE: 's3://files/shop/assets/',
    STOWAGE_S3_ENDPOINT: 'https://minio.example:9000',
    STOWAGE_S3_REGION: 'eu-west-1',
    STOWAGE_S3_MAX_PARTS: '1000',
    STOWAGE_DELIVER: 'proxy',
  })
  assert.equal(config.deliver, 'proxy')
  assert.deepEqual(config.storage, {
    kind: 's3',
    bucket: 'files',
    prefix: 'shop/assets/',
    endpoint: 'https://minio.example:9000',
    region: 'eu-west-1',
    pathStyle: true,
    maxParts: 1000,
  })
})

test('with S3, settings of the disk and sizes that S3 does not accept are refused', () => {
  const problems = problemsOf({
    STOWAGE_STORAGE: 's3://files',
    STOWAGE_STORAGE_PORT: '9',
    STOWAGE_CHUNK_SIZE: '1MB',
    STOWAGE_S3_MAX_PARTS: '10001',
  })
  assert.equal(problems.length, 3)
})

test('settings of an engine that is not in use are refused', () => {
  const problems = problemsOf({
    STOWAGE_DATABASE_POOL: '5',
    STOWAGE_S3_ENDPOINT: 'https://s3.example.com',
    STOWAGE_S3_REGION: '',
    STOWAGE_DELIVER: 'proxy',
  })
  assert.deepEqual(problems, [
    'STOWAGE_DATABASE_POOL: applies only to PostgreSQL, but STOWAGE_DATABASE is SQLite; leave it unset',
    'STOWAGE_S3_ENDPOINT: applies only to S3, but STOWAGE_STORAGE is the disk; leave it unset',
    'STOWAGE_DELIVER: applies only to S3, but STOWAGE_STORAGE is the disk; leave it unset',
  ])
})

test('an invalid engine is reported without the problems that follow from it', () => {
  const settings = { STOWAGE_STORAGE: 's3:bucket', STOWAGE_S3_REGION: 'eu-central-1' }
  assert.equal(problemsOf(settings).length, 1)
})

test('the service, the storage and the metrics need different ports', () => {
  for (const metrics of ['5000', '5001']) {
    const ports = { STOWAGE_PORT: '5000', STOWAGE_STORAGE_PORT: '5001' }
    assert.equal(problemsOf({ ...ports, STOWAGE_METRICS_PORT: metrics }).length, 1)
  }
  assert.equal(problemsOf({ STOWAGE_PORT: '5000', STOWAGE_STORAGE_PORT: '5000' }).length, 1)
})

test('on loopback the service is open, on any other address it requires keys', () => {
  assert.deepEqual(readConfig({}).auth, { kind: 'open' })
  assert.deepEqual(readConfig({ STOWAGE_HOST: '127.0.0.2' }).auth, { kind: 'open' })
  const keys = { kind: 'keys', adminKey: undefined, previousAdminKey: undefined }
  assert.deepEqual(readConfig({ STOWAGE_HOST: '0.0.0.0' }).auth, keys)
  assert.deepEqual(readConfig({ STOWAGE_HOST: '192.168.1.5' }).auth, keys)
  assert.deepEqual(readConfig({ STOWAGE_AUTH: 'keys' }).auth, keys)
  assert.deepEqual(readConfig({ STOWAGE_BASE_URL: 'https://files.example.com' }).auth, keys)
  assert.deepEqual(readConfig({ STOWAGE_BASE_URL: 'http://[::1]:4000' }).auth, { kind: 'open' })
})

test('an open service must not be reachable from other machines', () => {
  for (const host of ['0.0.0.0', '::', '10.0.0.1', 'files.example.com']) {
    const [problem] = problemsOf({ STOWAGE_HOST: host, STOWAGE_AUTH: 'open' })
    assert.match(problem ?? '', /set STOWAGE_AUTH=keys/)
  }
})

test('trusted proxies are a number, or addresses and networks', () => {
  const trusted = (text: string) =>
    readConfig({ STOWAGE_AUTH: 'keys', STOWAGE_TRUST_PROXY: text }).trustProxy
  assert.deepEqual(trusted('10'), { kind: 'count', count: 10 })
  const addresses = ['10.0.0.0/8', '192.0.2.1', 'fd00::/8', '::1']
  assert.deepEqual(trusted(addresses.join(', ')), { kind: 'addresses', addresses })
  for (const text of [
    '0',
    '11',
    'true',
    '10.0.0.0/33',
    'fd00::/129',
    '10.0.0',
    '10.0.0.1,',
    '/8',
  ]) {
    assert.throws(() => trusted(text), /STOWAGE_TRUST_PROXY=.*must be the number of proxies/)
  }
  const [problem] = problemsOf({ STOWAGE_TRUST_PROXY: '1' })
  assert.match(problem ?? '', /set STOWAGE_AUTH=keys/)
})

test('the previous admin key needs a current one, and must differ from it', () => {
  const keyed = { STOWAGE_AUTH: 'keys', STOWAGE_ADMIN_KEY_PREVIOUS: 'p'.repeat(32) }
  assert.match(problemsOf(keyed)[0] ?? '', /no effect without STOWAGE_ADMIN_KEY/)
  const same = { ...keyed, STOWAGE_ADMIN_KEY: 'p'.repeat(32) }
  assert.match(problemsOf(same)[0] ?? '', /must differ from STOWAGE_ADMIN_KEY/)
  assert.deepEqual(problemsOf({ ...keyed, STOWAGE_ADMIN_KEY: 'k'.repeat(32) }), [])
  const short = { ...same, STOWAGE_ADMIN_KEY_PREVIOUS: 'hunter2' }
  assert.equal(problemsOf(short).length, 1)
  assert.doesNotMatch(problemsOf(short).join(), /hunter2/)
})

test('a problem with a secret setting does not contain its value', () => {
  const problems = problemsOf({ STOWAGE_AUTH: 'keys', STOWAGE_ADMIN_KEY: 'hunter2' })
  assert.equal(problems.length, 1)
  assert.doesNotMatch(problems.join(), /hunter2/)
})

test('PostgreSQL has settings for the pool, the timeout and TLS', () => {
  const url = 'postgres://user:secret@db.example.com/stowage'
  assert.deepEqual(readConfig({ STOWAGE_DATABASE: url }).database, {
    kind: 'postgres',
    url,
    poolSize: 10,
    statementTimeoutMs: 10_000,
    tls: 'off',
  })
  const config = readConfig({
    STOWAGE_DATABASE: `${url}?sslmode=require`,
    STOWAGE_DATABASE_POOL: '25',
    STOWAGE_DATABASE_TIMEOUT: '30s',
  })
  assert.deepEqual(config.database, {
    kind: 'postgres',
    url: `${url}?sslmode=require`,
    poolSize: 25,
    statementTimeoutMs: 30_000,
    tls: 'on',
  })
  const modes = {
    'sslmode=disable': 'off',
    'sslmode=allow': 'off',
    'sslmode=': 'off',
    'ssl=true': 'on',
    'ssl=true&sslmode=verify-full': 'verify',
    'sslrootcert=/ca.pem': 'off',
    'sslmode=prefer': 'on',
    'sslmode=require&sslrootcert=/ca.pem': 'on',
    'sslmode=require&sslrootcert=system': 'verify',
    'sslmode=verify-ca': 'verify',
    'sslrootcert=/ca.pem&sslmode=verify-ca': 'verify-ca',
    'sslmode=verify-full&sslrootcert=/ca.pem': 'verify',
  }
  for (const [parameters, expected] of Object.entries(modes)) {
    const { database } = readConfig({ STOWAGE_DATABASE: `${url}?${parameters}` })
    assert.equal(database.kind === 'postgres' && database.tls, expected, parameters)
  }
  const overridden = { off: 'off', on: 'verify', verify: 'verify' }
  for (const [setting, expected] of Object.entries(overridden)) {
    const { database } = readConfig({
      STOWAGE_DATABASE: `${url}?sslmode=verify-ca&sslrootcert=system`,
      STOWAGE_DATABASE_TLS: setting,
    })
    assert.equal(database.kind === 'postgres' && database.tls, expected, setting)
  }
  for (const unknown of ['sslmode=required', 'sslmode=verify_full', 'sslmode=no-verify', 'ssl=1']) {
    const problems = problemsOf({ STOWAGE_DATABASE: `${url}?${unknown}` })
    assert.equal(problems.length, 1)
    assert.match(
      problems[0] ?? '',
      /^STOWAGE_DATABASE: must be a URL whose sslmode is one of disable,/,
    )
  }
  for (const timeout of ['0s', '999', '2h', 'never']) {
    const settings = { STOWAGE_DATABASE: url, STOWAGE_DATABASE_TIMEOUT: timeout }
    assert.throws(() => readConfig(settings), /STOWAGE_DATABASE_TIMEOUT.*from 1s to 1h/)
  }
})

test('the settings of the compose file and the image are valid', () => {
  const root = new URL('../../../../', import.meta.url)
  const compose = readFileSync(new URL('compose.yaml', root), 'utf8')
  const image = readFileSync(new URL('Dockerfile', root), 'utf8')
  const settings = [
    ...compose.matchAll(/^ +(STOWAGE_\w+): (\S+)/gm),
    ...image.matchAll(/\b(STOWAGE_\w+)=(\S+)/g),
  ].map(([, name, value]) => [name, value?.startsWith('${') ? 'x'.repeat(64) : value])
  const config = readConfig(Object.fromEntries(settings))
  assert.equal(config.database.kind, 'postgres')
  assert.equal(config.storage.kind, 's3')
  assert.equal(config.auth.kind, 'keys')
})

test('a password is never sent to another machine without TLS', () => {
  const from = { STOWAGE_MAIL_FROM: 'files@example.com' }
  const smtpOf = (url: string) => readConfig({ STOWAGE_SMTP_URL: url, ...from }).mail.smtp
  assert.equal(smtpOf('smtp://u:p@mail.example.com')?.startTls, 'required')
  assert.equal(smtpOf('smtp://mail.example.com:25')?.startTls, 'offered')
  assert.equal(smtpOf('smtp://10.0.0.1:25?tls=off')?.startTls, 'off')
  assert.equal(smtpOf('smtp://u:p@localhost:25')?.startTls, 'offered')
  const secure = smtpOf('smtps://u:p@[2001:db8::1]')
  assert.deepEqual([secure?.host, secure?.port, secure?.isSecure], ['2001:db8::1', 465, true])
  for (const url of [
    'smtp://u:p@mail.example.com?tls=off',
    'smtp://u@mail.example.com',
    'smtp://mail.example.com/path',
    'smtp://mail.example.com?pool=true',
    'http://mail.example.com',
    'mail.example.com:25',
  ]) {
    assert.throws(() => smtpOf(url), /STOWAGE_SMTP_URL: must be a URL/, url)
  }
})

test('all problems with the settings of mail are reported together', () => {
  const settings = { STOWAGE_MAIL_FROM: 'nobody', STOWAGE_MAIL_REPLY_TO: 'a@b\r\nBcc: c@d' }
  assert.throws(
    () => readConfig({ STOWAGE_SMTP_URL: 'x', ...settings }),
    (error: ConfigError) => {
      const names = error.problems.map((problem) => problem.match(/^STOWAGE_\w+/)?.[0])
      const expected = ['STOWAGE_SMTP_URL', 'STOWAGE_MAIL_FROM', 'STOWAGE_MAIL_REPLY_TO']
      assert.deepEqual(names, expected)
      return true
    },
  )
  assert.throws(() => readConfig({ STOWAGE_SMTP_URL: 'smtp://mail.example.com' }), /MAIL_FROM/)
  assert.throws(() => readConfig({ STOWAGE_MAIL_RATE: '60' }), /without STOWAGE_SMTP_URL/)
})
