import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Node, SourceFile } from 'typescript/unstable/ast'
import {
  isClassDeclaration,
  isConstructorDeclaration,
  isExportDeclaration,
  isFunctionDeclaration,
  isInterfaceDeclaration,
  isNamedExports,
  isStringLiteral,
  isTypeAliasDeclaration,
} from 'typescript/unstable/ast/is'
import { API } from 'typescript/unstable/sync'
import { folderOf, ROOT, readManifest } from './staging.ts'

const NAME = '@stowage/client'

const INTRODUCTION = `# API of the client

Generated from the types and comments of \`${NAME}\` by \`npm run docs\`: do not edit this page.
[packages/client](../packages/client/README.md) has examples; [client.md](client.md) describes how uploads
behave when something fails.
`

/** Returns docs/client-api.md: every export of every public entry, with its type and its JSDoc. */
export async function clientApiPage(): Promise<string> {
  const { exports } = await readManifest(NAME)
  const entries = Object.entries(exports)
    .filter(([entry]) => !entry.startsWith('./internal/'))
    .map(([entry, source]) => ({
      name: `${NAME}${entry.slice(1)}`,
      path: join(folderOf(NAME), source),
    }))
  const sources = await openSources(entries.map(({ path }) => path))
  try {
    const sections = entries.map(({ name, path }) => {
      const entry = readEntry(sources, path)
      const included = entries.find((other) => other.path === entry.includes)
      return sectionOf(name, entry, included?.name)
    })
    return [INTRODUCTION, ...sections].join('\n')
  } finally {
    await sources.close()
  }
}

function sectionOf(name: string, entry: Entry, included: string | undefined): string {
  const isCode = ({ kind }: Described) => kind === 'function' || kind === 'class'
  const { declarations, protocolTypes } = entry
  const ordered = [
    ...declarations.filter(isCode),
    ...declarations.filter((declaration) => !isCode(declaration)),
  ]
  const parts = [`## ${name}\n`]
  if (included) parts.push(`Exports everything that \`${included}\` exports, and:\n`)
  parts.push(...ordered.map(writeDeclaration))
  if (protocolTypes.length > 0) {
    const names = protocolTypes.map((type) => `\`${type}\``).join(', ')
    parts.push(
      `### Types of the HTTP API\n\nDescribed in the reference that the service serves at \`/docs\`: ${names}.\n`,
    )
  }
  return parts.join('\n')
}

function writeDeclaration({ name, kind, signature, doc, members }: Described): string {
  const parts = [`### ${name}\n`, `${doc}\n`]
  // A plain interface needs no signature: its members are listed below.
  if (signature !== `${kind} ${name}`) parts.push(`\`\`\`ts\n${signature}\n\`\`\`\n`)
  const list = members.map((member) => `- \`${member.signature}\`: ${member.doc}\n`)
  if (list.length > 0) parts.push(list.join(''))
  return parts.join('\n')
}

/** The exports of an entry of the package. */
interface Entry {
  /** The path of the entry that it re-exports completely. */
  includes: string | undefined
  declarations: Described[]
  /** Names of types of the protocol. */
  protocolTypes: string[]
}

function readEntry(sources: Sources, path: string): Entry {
  const file = sources.get(path)
  const entry: Entry = { includes: undefined, declarations: [], protocolTypes: [] }
  for (const statement of file.statements) {
    if (!isExportDeclaration(statement)) {
      const isExported = statement.getText(file).startsWith('export ')
      const described = isExported && describeDeclaration(file, statement)
      if (described) entry.declarations.push(described)
      continue
    }
    const { moduleSpecifier, exportClause } = statement
    const from = moduleSpecifier && isStringLiteral(moduleSpecifier) ? moduleSpecifier.text : ''
    if (exportClause === undefined) {
      entry.includes = join(dirname(path), from)
      continue
    }
    const names = isNamedExports(exportClause)
      ? exportClause.elements.map(({ name }) => name.text)
      : []
    if (from === '@stowage/protocol') entry.protocolTypes.push(...names)
    else
      entry.declarations.push(
        ...names.map((name) => findDeclaration(sources, join(dirname(path), from), name)),
      )
  }
  return entry
}

function findDeclaration(sources: Sources, path: string, name: string): Described {
  const file: SourceFile = sources.get(path)
  const hasName = (node: Node & { name?: { text?: string } }) => node.name?.text === name
  const node = file.statements.find(hasName)
  const described = node && describeDeclaration(file, node)
  if (described === undefined) throw new Error(`${path} does not declare ${name}`)
  return described
}

interface DescribedMember {
  signature: string
  doc: string
}

/** An exported declaration, as the page shows it. */
interface Described {
  name: string
  kind: 'function' | 'class' | 'interface' | 'type'
  signature: string
  doc: string
  members: DescribedMember[]
}

/** Returns undefined unless the statement declares a function, a class or a type. Throws if JSDoc is missing. */
function describeDeclaration(file: SourceFile, node: Node): Described | undefined {
  if (isFunctionDeclaration(node)) {
    const signature = file.text.slice(node.getStart(file), node.body?.getStart(file))
    return describe('function', { file, node, name: node.name?.text, signature })
  }
  if (isTypeAliasDeclaration(node)) {
    return describe('type', { file, node, name: node.name.text, signature: node.getText(file) })
  }
  if (isInterfaceDeclaration(node) || isClassDeclaration(node)) {
    const kind = isClassDeclaration(node) ? 'class' : 'interface'
    const [signature = ''] = node.getText(file).split(' {\n')
    const members = node.members.filter((member) => !isConstructorDeclaration(member))
    return describe(kind, { file, node, name: node.name?.text, signature, members })
  }
  return undefined
}

interface Found {
  file: SourceFile
  node: Node
  name: string | undefined
  signature: string
  members?: readonly Node[]
}

function describe(kind: Described['kind'], { file, node, name = '', ...found }: Found): Described {
  const { members = [] } = found
  return {
    name,
    kind,
    signature: tidy(found.signature.replace(/^export /, '')),
    doc: docOf(file, node, name),
    members: members.map((member) => ({
      signature: oneLine(member.getText(file).replace(/^(override |declare )+/, '')),
      doc: docOf(file, member, `${name}: ${member.getText(file)}`),
    })),
  }
}

function docOf(file: SourceFile, node: Node, name: string): string {
  const comment = node.jsDoc?.at(-1)
  if (comment === undefined) throw new Error(`${file.fileName}: no JSDoc for ${name}`)
  const text = file.text.slice(comment.pos, comment.end).trim()
  const lines = text.replace(/^\/\*\*|\*\/$/g, '').replaceAll(/^\s*\*/gm, '')
  return lines.replaceAll(/\s+/g, ' ').trim()
}

/** Removes `| undefined` of optional members: it is needed for the compiler only. */
function tidy(signature: string): string {
  return signature
    .replaceAll(/(\?:[^,;{}()]*?) \| undefined/g, '$1')
    .replace(/(\?:) \| (.*) \| undefined$/, '$1 $2')
    .replace(/(\?:.*) \| undefined$/, '$1')
    .trim()
}

function oneLine(text: string): string {
  return tidy(text.replaceAll(/\s+/g, ' '))
}

interface Sources {
  /** Returns the syntax tree of an entry, or of a file that an entry imports. */
  get(path: string): SourceFile
  close(): Promise<void>
}

/** Parses the entries and all files that they import, with the compiler of the repository. */
async function openSources(entries: string[]): Promise<Sources> {
  const folder = await mkdtemp(join(tmpdir(), 'stowage-client-api-'))
  const config = join(folder, 'tsconfig.json')
  await writeFile(
    config,
    JSON.stringify({ extends: join(ROOT, 'tsconfig.json'), include: [], files: entries }),
  )
  const api = new API({ cwd: ROOT })
  const program = api.updateSnapshot({ openProjects: [config] }).getProject(config)?.program
  return {
    get(path) {
      const file = program?.getSourceFile(path)
      if (file === undefined) throw new Error(`the compiler did not load ${path}`)
      return file
    },
    async close() {
      api.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
