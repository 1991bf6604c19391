import { join } from 'node:path'
import { folderOf, readManifest } from '../manifest.ts'
import type { Described } from './describe-declaration.ts'
import { openSources } from './open-sources.ts'
import { type Entry, readEntry } from './read-entry.ts'

const NAME = '@stowage/client'

const INTRODUCTION = `# API of the client

Generated from the types and comments of \`${NAME}\` by \`npm run docs:client\`: do not edit this page.
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
  parts.push(...ordered.map(write))
  if (protocolTypes.length > 0) {
    const names = protocolTypes.map((type) => `\`${type}\``).join(', ')
    parts.push(
      `### Types of the HTTP API\n\nDescribed in the reference that the service serves at \`/docs\`: ${names}.\n`,
    )
  }
  return parts.join('\n')
}

function write({ name, kind, signature, doc, members }: Described): string {
  const parts = [`### ${name}\n`, `${doc}\n`]
  // A plain interface needs no signature: its members are listed below.
  if (signature !== `${kind} ${name}`) parts.push(`\`\`\`ts\n${signature}\n\`\`\`\n`)
  const list = members.map((member) => `- \`${member.signature}\`: ${member.doc}\n`)
  if (list.length > 0) parts.push(list.join(''))
  return parts.join('\n')
}
