import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { aFolder } from '@stowage/testing/machine/clean-up'
import { ensureInstalled, type Program, skipUnlessCi } from '@stowage/testing/machine/programs'
import { formatWebhookSecret, webhookHeaders } from '../../../src/domain/webhook.ts'

const run = promisify(execFile)
const PAGE = readFileSync(new URL('../../../../../docs/webhooks.md', import.meta.url), 'utf8')

interface Example {
  /** The language of the code block. */
  language: string
  /** Runs the example; Node if it is not given. */
  program?: Program
  file: string
  /** Code after the example. It reads [headers, body, secret] and prints the result. */
  call: string
  /** Code before the example. */
  start?: string
}

const EXAMPLES: Example[] = [
  {
    language: 'js',
    file: 'verify.mjs',
    call: `import { readFileSync } from 'node:fs'
const [headers, body, secret] = JSON.parse(readFileSync(process.argv[2], 'utf8'))
const result = verify(headers, Buffer.from(body), secret)
if (JSON.stringify(verify(headers, body, secret)) === JSON.stringify(result)) console.log(JSON.stringify(result))`,
  },
  {
    language: 'python',
    program: 'python3',
    file: 'verify.py',
    call: `import sys
headers, body, secret = json.load(open(sys.argv[1]))
print(json.dumps(verify(headers, body.encode(), secret)))`,
  },
  {
    language: 'php',
    program: 'php',
    file: 'verify.php',
    start: '<?php\n',
    call: `[$headers, $body, $secret] = json_decode(file_get_contents($argv[1]), true);
$named = [];
foreach ($headers as $name => $value) $named[ucwords($name, '-')] = $value;
echo json_encode(verify($named, $body, $secret));`,
  },
]

const SECRET = formatWebhookSecret(new Uint8Array(32).fill(7))
const OTHER = formatWebhookSecret(new Uint8Array(32).fill(8))

for (const { language, program, file, start = '', call } of EXAMPLES) {
  test(`the ${language} code of docs/webhooks.md accepts signed requests and refuses others`, async (t) => {
    const missing = program && (await ensureInstalled(program))
    if (missing) return skipUnlessCi(t, missing)
    const [, code] = new RegExp(`\`\`\`${language}\n(.*?)\`\`\``, 's').exec(PAGE) ?? []
    assert.ok(code)
    assert.ok(code.trim().split('\n').length <= 12)
    const folder = await aFolder(t)
    const path = join(folder, file)
    await writeFile(path, `${start}${code}\n${call}\n`)
    const verify = async (headers: object, body: string, secret = SECRET) => {
      const input = join(folder, 'input.json')
      await writeFile(input, JSON.stringify([headers, body, secret]))
      const { stdout } = await run(program ?? process.execPath, [path, input])
      return JSON.parse(stdout)
    }
    const event = { id: 1, type: 'asset.ready', data: { filename: 'täst ✓.zip' } }
    const body = JSON.stringify(event)
    const webhook = { secret: SECRET, previousSecrets: [] }
    const signedAt = (ms: number) =>
      webhookHeaders(webhook, { id: 'a', sentAt: new Date(ms), body })
    const now = Date.now()
    assert.deepEqual(await verify(signedAt(now), body), event)
    const previousSecrets = [{ secret: SECRET, validUntil: new Date(now + 60_000) }]
    const message = { id: 'a', sentAt: new Date(now), body }
    const rotated = webhookHeaders({ secret: OTHER, previousSecrets }, message)
    assert.deepEqual(await verify(rotated, body), event)
    await assert.rejects(verify(signedAt(now), `${body} `), /signature is wrong/)
    await assert.rejects(verify(signedAt(now), body, OTHER), /signature is wrong/)
    await assert.rejects(
      verify({ ...signedAt(now), 'webhook-id': 'b' }, body),
      /signature is wrong/,
    )
    await assert.rejects(verify(signedAt(now - 3_600_000), body), /too old/)
    const { 'webhook-signature': _, ...unsigned } = signedAt(now)
    await assert.rejects(verify(unsigned, body), /signature is wrong/)
    await assert.rejects(verify({}, body), /too old/)
  })
}
