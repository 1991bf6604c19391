import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { dirname, join, relative, sep } from 'node:path'
import { test } from 'node:test'

const source = import.meta.dirname

/** Which folder may import from which other folders. */
const ALLOWED: Record<string, string[]> = {
  i18n: [],
  format: ['i18n'],
  icons: [],
  'query-keys': [],
  components: ['icons', 'format', 'i18n'],
  session: ['components', 'icons', 'format', 'i18n', 'live-updates', 'query-keys'],
  mails: ['session', 'components', 'icons', 'format', 'i18n', 'query-keys'],
  orders: ['mails', 'session', 'components', 'icons', 'format', 'i18n', 'query-keys'],
  uploads: ['session', 'components', 'icons', 'format', 'i18n', 'query-keys'],
  assets: [
    'uploads',
    'orders',
    'mails',
    'session',
    'components',
    'icons',
    'format',
    'i18n',
    'query-keys',
  ],
  products: [
    'assets',
    'uploads',
    'orders',
    'session',
    'components',
    'icons',
    'format',
    'i18n',
    'query-keys',
  ],
  trash: ['assets', 'session', 'components', 'icons', 'format', 'i18n', 'query-keys'],
  storage: ['assets', 'session', 'components', 'icons', 'format', 'i18n', 'query-keys'],
  operator: ['session', 'components', 'icons', 'format', 'i18n', 'query-keys'],
  webhooks: ['session', 'components', 'icons', 'format', 'i18n', 'query-keys'],
  settings: [
    'webhooks',
    'orders',
    'mails',
    'session',
    'components',
    'icons',
    'format',
    'i18n',
    'query-keys',
  ],
  'live-updates': ['query-keys'],
  activity: ['session', 'components', 'icons', 'format', 'i18n', 'query-keys'],
  shell: ['uploads', 'session', 'components', 'icons', 'i18n'],
  pages: ['activity', 'assets', 'products', 'uploads', 'trash', 'storage', 'settings', 'webhooks'],
  theme: [],
  app: [
    'assets',
    'live-updates',
    'operator',
    'orders',
    'mails',
    'pages',
    'uploads',
    'session',
    'shell',
    'components',
    'i18n',
    'theme',
  ],
  main: ['app', 'i18n', 'theme'],
}

/** `assets/asset-row.tsx` is in `assets`, `app.tsx` is `app`. */
function folderOf(file: string): string {
  return (
    relative(source, file)
      .split(sep)[0]
      ?.replace(/\.\w+$/, '') ?? ''
  )
}

function relativeImportsOf(file: string): string[] {
  const matches = readFileSync(file, 'utf8').matchAll(/(?:from|import\()\s*'(\.[^']+)'/g)
  return [...matches].map(([, path]) => join(dirname(file), path ?? ''))
}

test('each folder of the dashboard imports only the folders that the table allows', () => {
  const files = globSync(join(source, '**/*.{ts,tsx}')).filter((file) => !/\.test\.ts$/.test(file))
  assert.ok(files.length > 60)
  for (const file of files) {
    const folder = folderOf(file)
    const allowed = ALLOWED[folder]
    assert.ok(allowed, `${folder} is missing in the table`)
    for (const target of relativeImportsOf(file)) {
      const other = folderOf(target)
      const isAllowed = other === folder || allowed.includes(other)
      assert.ok(isAllowed, `${relative(source, file)} must not import from ${other}`)
    }
  }
})
