import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { EVENT_TYPES } from '@stowage/protocol'
import { eventsPage } from './events-page.ts'
import { ROOT } from './staging.ts'

test('docs/events.md is up to date', async () => {
  const page = await readFile(join(ROOT, 'docs/events.md'), 'utf8')
  assert.equal(page, eventsPage(), 'run npm run docs')
})

test('the page shows every type of event with its data', () => {
  const page = eventsPage()
  for (const type of EVENT_TYPES) {
    const [, data] = new RegExp(`^\\| \`${type}\` \\| .+ \\| \\[(\\w+)\\]`, 'm').exec(page) ?? []
    assert.match(page, new RegExp(`^### ${data}$`, 'm'))
  }
})
