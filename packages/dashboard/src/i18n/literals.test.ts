import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { parseSync } from 'vite'

const SOURCE = join(import.meta.dirname, '..')

/** Names, and words that no reader sees. */
const ALLOWED = new Set([
  'Stowage',
  'Bearer',
  'Ctrl+',
  'STOWAGE_AUTH=keys',
  'STOWAGE_HOST',
  'https://shop.example/webhooks',
  'PUT /products',
  'POST /api/v1/orders',
  'https://',
  'npx stowage keys add --name dashboard --scope manage',
  // The kind of a drag, and the name of a lock.
  'Files',
  'stowage upload',
  // Keys.
  'Delete',
  'Enter',
  'Escape',
  // Selectors of CSS, and the relation of a link.
  'tr, li',
  ':hover, :focus-within',
  'noopener noreferrer nofollow',
])

interface Node {
  type: string
  start: number
  [property: string]: unknown
}

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && typeof (value as Node).type === 'string'

function childrenOf(node: Node): Node[] {
  return Object.values(node).flat().filter(isNode)
}

/** Two words, a word with a capital letter, or letters that are not ASCII. */
function looksLikeText(value: string): boolean {
  if (/^(?:color-mix|calc|min|minmax|repeat|var)\(|\[\w+[\]=]/.test(value)) return false
  return (
    /\p{L}{2}\S* +\S*\p{L}{2}/u.test(value) ||
    /^\p{Lu}\p{Ll}+\W*$/u.test(value) ||
    /[^\P{L}\w]/u.test(value)
  )
}

/** Attributes whose values are texts, even if they are only one small word. */
const TEXT_ATTRIBUTES =
  /^(?:aria-)?(?:label|title|placeholder|description|alt|hint)$|(?:Label|Title|Text)$/

/** Literals that are never shown: imported files, directives, types, and errors of wrong code. */
const HIDDEN = /^(?:Import|Export|TS)|^JSXOpeningFragment$/
const isDeveloperError = (node: Node) =>
  node.type === 'NewExpression' && /Error$/.test(`${(node.callee as Node).name}`)

/** Code is the same in every language. */
const isCode = ({ type, openingElement }: Node) =>
  type === 'JSXElement' && ((openingElement as Node).name as Node).name === 'Code'

/** The literals of a file that readers may see. */
function literalsOf(node: Node): { start: number; text: string }[] {
  if ((HIDDEN.test(node.type) && node.type !== 'ExportNamedDeclaration') || isDeveloperError(node))
    return []
  if (isCode(node)) return []
  const { start } = node
  if (node.type === 'JSXAttribute' && TEXT_ATTRIBUTES.test(`${(node.name as Node).name}`)) {
    const { value } = (node.value ?? {}) as { value?: unknown }
    if (typeof value === 'string' && /\p{L}/u.test(value)) return [{ start, text: value }]
  }
  if (node.type === 'JSXText')
    return /\p{L}/u.test(`${node.value}`) ? [{ start, text: `${node.value}`.trim() }] : []
  if (node.type === 'Literal' && typeof node.value === 'string')
    return looksLikeText(node.value) ? [{ start, text: node.value }] : []
  if (node.type === 'TemplateElement') {
    const text = (node.value as { raw: string }).raw
    return looksLikeText(text) ? [{ start, text }] : []
  }
  return childrenOf(node).flatMap(literalsOf)
}

test('no text for readers is in the code, but in the catalogs of all languages', () => {
  const files = globSync('**/*.{ts,tsx}', { cwd: SOURCE }).filter(
    (file) => !/\.test\.tsx?$/.test(file) && !/^(?:i18n|icons)/.test(file),
  )
  const found = files.flatMap((file) => {
    const code = readFileSync(join(SOURCE, file), 'utf8')
    const { program } = parseSync(file, code)
    return literalsOf(program as unknown as Node)
      .filter(({ text }) => !ALLOWED.has(text.trim()))
      .map(({ start, text }) => `${file}:${code.slice(0, start).split('\n').length}: ${text}`)
  })
  assert.deepEqual(found, [])
})
