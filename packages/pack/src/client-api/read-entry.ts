import { dirname, join } from 'node:path'
import type { Node, SourceFile } from 'typescript/unstable/ast'
import { isExportDeclaration, isNamedExports, isStringLiteral } from 'typescript/unstable/ast/is'
import { type Described, describeDeclaration } from './describe-declaration.ts'
import type { Sources } from './open-sources.ts'

/** The exports of an entry of the package. */
export interface Entry {
  /** The path of the entry that it re-exports completely. */
  includes: string | undefined
  declarations: Described[]
  /** Names of types of the protocol. */
  protocolTypes: string[]
}

export function readEntry(sources: Sources, path: string): Entry {
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
        ...names.map((name) => find(sources, join(dirname(path), from), name)),
      )
  }
  return entry
}

function find(sources: Sources, path: string, name: string): Described {
  const file: SourceFile = sources.get(path)
  const hasName = (node: Node & { name?: { text?: string } }) => node.name?.text === name
  const node = file.statements.find(hasName)
  const described = node && describeDeclaration(file, node)
  if (described === undefined) throw new Error(`${path} does not declare ${name}`)
  return described
}
