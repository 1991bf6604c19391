import type { Node, SourceFile } from 'typescript/unstable/ast'
import {
  isClassDeclaration,
  isConstructorDeclaration,
  isFunctionDeclaration,
  isInterfaceDeclaration,
  isTypeAliasDeclaration,
} from 'typescript/unstable/ast/is'

export interface DescribedMember {
  signature: string
  doc: string
}

/** An exported declaration, as the page shows it. */
export interface Described {
  name: string
  kind: 'function' | 'class' | 'interface' | 'type'
  signature: string
  doc: string
  members: DescribedMember[]
}

/** Returns undefined unless the statement declares a function, a class or a type. Throws if JSDoc is missing. */
export function describeDeclaration(file: SourceFile, node: Node): Described | undefined {
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
