import * as protocol from '@stowage/protocol'

/** The keywords that the protocol's schemas use. */
interface Schema {
  type?: string | string[]
  title?: string
  description?: string
  enum?: string[]
  anyOf?: Schema[]
  items?: Schema
  properties?: Record<string, Schema>
  patternProperties?: Record<string, Schema>
  propertyNames?: { enum: readonly string[] }
  additionalProperties?: boolean | Schema
  required?: string[]
}

/** Types of the protocol that have no schema. */
const OTHERS: Record<string, () => string> = {
  RenderedMail: () =>
    '{\n  from: string\n  reply_to: string | null\n  subject: string\n  text: string\n  html: string\n}',
  MailKind: () => oneOf(protocol.MAIL_KINDS),
  BuyerLanguage: () => oneOf(protocol.BUYER_LANGUAGES),
  ErrorCode: () => oneOf(Object.keys(protocol.ERRORS)),
}

/**
 * Returns declarations of the named types of the protocol, and of all types they refer to. They need no
 * other package. The protocol derives its own types with TypeBox, which users of the client do not install.
 */
export function wireTypes(names: Iterable<string>): string {
  const declared = new Map<string, string>()
  const wanted = [...new Set(names)]
  for (const name of wanted) {
    if (declared.has(name)) continue
    declared.set(name, `export type ${name} = ${typeNamed(name, wanted)}\n`)
  }
  return [...declared.keys()]
    .toSorted()
    .map((name) => declared.get(name))
    .join('\n')
}

/** Returns the type with this name, and adds to `wanted` each type that it refers to. */
function typeNamed(name: string, wanted: string[]): string {
  const other = OTHERS[name]
  if (other) return other()
  const schema = (protocol as Record<string, unknown>)[name]
  if (schema === undefined)
    throw new Error(`the protocol has no schema ${name}, so its type cannot be generated`)
  return shape(schema as Schema, (title) => {
    wanted.push(title)
  })
}

type Refer = (title: string) => void

/** Returns the name of a schema that the protocol exports, and the shape of any other schema. */
function typeOf(schema: Schema, refer: Refer): string {
  const { title } = schema
  if (title === undefined || !(title in protocol)) return shape(schema, refer)
  refer(title)
  return title
}

function shape(schema: Schema, refer: Refer): string {
  if (schema.enum) return oneOf(schema.enum)
  if (schema.anyOf) return schema.anyOf.map((each) => typeOf(each, refer)).join(' | ')
  const types = [schema.type ?? []].flat()
  if (types.length === 0) throw new Error(`unsupported schema: ${JSON.stringify(schema)}`)
  return types.map((type) => ofType(type, schema, refer)).join(' | ')
}

function ofType(type: string, schema: Schema, refer: Refer): string {
  if (type === 'integer') return 'number'
  if (type === 'string' || type === 'boolean' || type === 'null') return type
  if (type === 'array') return `Array<${typeOf(schema.items ?? {}, refer)}>`
  const [values] = Object.values(schema.patternProperties ?? {})
  if (values) return `Record<string, ${typeOf(values, refer)}>`
  const { additionalProperties: others } = schema
  if (typeof others === 'object') {
    const names = schema.propertyNames?.enum
    return `Record<${names ? oneOf(names) : 'string'}, ${typeOf(others, refer)}>`
  }
  const members = Object.entries(schema.properties ?? {}).map(([name, member]) => {
    const mark = schema.required?.includes(name) ? '' : '?'
    const comment = member.description ? `/** ${member.description} */\n` : ''
    return `${comment}${name}${mark}: ${typeOf(member, refer)}`
  })
  return `{\n${members.join('\n')}\n}`.replaceAll('\n', '\n  ').replace(/ {2}\}$/, '}')
}

function oneOf(values: readonly string[]): string {
  return values.map((value) => `'${value}'`).join(' | ')
}
