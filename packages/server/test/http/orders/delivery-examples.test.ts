import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { aFolder } from '@stowage/testing/machine/clean-up'
import { ensureInstalled, type Program, skipUnlessCi } from '@stowage/testing/machine/programs'
import { aKeyedService, anAccount } from '@stowage/testing/service/accounts'
import { API } from '@stowage/testing/service/upload'

const run = promisify(execFile)
const PAGE = readFileSync(new URL('../../../../../docs/delivery.md', import.meta.url), 'utf8')

/** The code after each example prints the URL of the order that it creates. */
const EXAMPLES: {
  language: string
  program?: Program
  file: string
  start?: string
  call: string
}[] = [
  {
    language: 'js',
    file: 'order.mjs',
    call: 'const [base, key, order] = process.argv.slice(2)\nconsole.log(await createOrder(base, key, JSON.parse(order)))',
  },
  {
    language: 'python',
    program: 'python3',
    file: 'order.py',
    call: 'import sys\nprint(create_order(sys.argv[1], sys.argv[2], json.loads(sys.argv[3])))',
  },
  {
    language: 'php',
    program: 'php',
    file: 'order.php',
    start: '<?php\n',
    call: 'echo create_order($argv[1], $argv[2], json_decode($argv[3], true));',
  },
]

for (const { language, program, file, start = '', call } of EXAMPLES) {
  test(`the ${language} code of docs/delivery.md creates an order`, async (t) => {
    const missing = program && (await ensureInstalled(program))
    if (missing) return skipUnlessCi(t, missing)
    const [, code] = new RegExp(`\`\`\`${language}\n(.*?)\`\`\``, 's').exec(PAGE) ?? []
    assert.ok(code)
    assert.ok(code.trim().split('\n').length <= 12)
    const service = await aKeyedService(t)
    const account = await anAccount(service, { name: 'default' })
    const link = { filename: 'a.zip', url: 'https://example.com/a.zip' }
    const { body } = await account.call('POST', `${API}/assets/store`, link)
    const path = join(await aFolder(t), file)
    await writeFile(path, `${start}${code}\n${call}\n`)
    const create = async (order: object) => {
      const input = [path, service.baseUrl, account.keys.write.secret, JSON.stringify(order)]
      return (await run(program ?? process.execPath, input)).stdout.trim()
    }
    const url = await create({ reference: 'ü-1', assets: [body.data.id] })
    const order = await account.call('GET', `${API}/orders/${encodeURIComponent('ü-1')}`)
    assert.equal(url, order.body.data.url)
    assert.equal((await fetch(url)).status, 200)
    await assert.rejects(create({ reference: 'ü-2' }))
  })
}
