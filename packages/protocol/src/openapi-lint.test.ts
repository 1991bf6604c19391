import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { aFolder } from '@stowage/testing/machine/clean-up'
import { buildOpenApi } from './openapi.ts'

/** The members of an operation that the tests read. */
interface Operation {
  operationId: string
  summary?: string
  description?: string
  tags: string[]
  parameters: { name: string; description?: string }[]
  responses: Record<string, unknown>
}

const DOCUMENT = buildOpenApi({ baseUrl: 'http://127.0.0.1:4000', version: '0.1.0' })
const OPERATIONS = Object.values(DOCUMENT.paths).flatMap((item) =>
  Object.values(item as Record<string, Operation>),
)

test('the OpenAPI document passes Redocly’s strictest rules', async (t) => {
  const file = join(await aFolder(t), 'openapi.json')
  await writeFile(file, JSON.stringify(DOCUMENT, null, 2))
  const manifest = createRequire(import.meta.url).resolve('@redocly/cli/package.json')
  const linter = join(dirname(manifest), 'bin/cli.js')
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [linter, 'lint', file, '--extends', 'recommended-strict', '--format', 'stylish'],
    {
      cwd: dirname(file),
      encoding: 'utf8',
      // By default the linter sends telemetry and checks for updates.
      env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
    },
  )
  assert.equal(status, 0, `${stdout}${stderr}`)
  assert.doesNotMatch(stdout + stderr, /warning/i)
})

test('every tag of an operation is declared, with a description', () => {
  const used = new Set(OPERATIONS.flatMap(({ tags }) => tags))
  assert.deepEqual(new Set(DOCUMENT.tags.map(({ name }) => name)), used)
  for (const { name, description } of DOCUMENT.tags) assert.ok(description, name)
})

test('every operation has a summary and a description', () => {
  const bare = OPERATIONS.filter(({ summary, description }) => !summary || !description)
  assert.deepEqual(bare, [])
})

test('every parameter has a description', () => {
  const bare = OPERATIONS.flatMap(({ operationId, parameters }) =>
    parameters
      .filter(({ description }) => !description)
      .map(({ name }) => `${operationId}: ${name}`),
  )
  assert.deepEqual(bare, [])
})

test('the document has a contact and a license', () => {
  assert.ok(DOCUMENT.info.contact.url)
  assert.ok(DOCUMENT.info.license.identifier)
})

test('every call that writes lists 507, and no other call does', () => {
  for (const item of Object.values(DOCUMENT.paths)) {
    for (const [method, one] of Object.entries(item as Record<string, Operation>)) {
      // Resuming extends the expiry, and opens an upload again that the storage has lost.
      const isWrite = method !== 'get' || one.operationId === 'resumeUpload'
      assert.equal('507' in one.responses, isWrite, one.operationId)
    }
  }
})
