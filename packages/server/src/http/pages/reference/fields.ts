import type { TSchema } from 'typebox'
import { type Html, html } from '../html.ts'
import { inline } from './markdown.ts'

/** The keywords of a schema that the page shows. */
interface Schema {
  type?: string | string[]
  format?: string
  enum?: string[]
  anyOf?: Schema[]
  items?: Schema
  properties?: Record<string, Schema>
  patternProperties?: Record<string, Schema>
  required?: string[]
  description?: string
  default?: unknown
  minimum?: number
  maximum?: number
  minLength?: number
  maxLength?: number
  maxItems?: number
}

interface Field {
  /** With `.` and `[]` for nested fields: `urls[].start`. */
  name: string
  schema: Schema
  isRequired: boolean
}

/** The fields of an object and of all nested objects, as a list of definitions. */
export function fields(schema: TSchema | undefined): Html | undefined {
  const found = schema === undefined ? [] : fieldsOf(schema as Schema, '')
  if (found.length === 0) return undefined
  return html`<dl class="fields">${found.map(definition)}</dl>`
}

function fieldsOf(schema: Schema, prefix: string): Field[] {
  const { properties = {}, required = [], items } = schema
  if (items) return fieldsOf(items, `${prefix}[]`)
  return Object.entries(properties).flatMap(([key, member]) => {
    const name = prefix === '' ? key : `${prefix}.${key}`
    const field = { name, schema: member, isRequired: required.includes(key) }
    return [field, ...fieldsOf(member, name)]
  })
}

function definition({ name, schema, isRequired }: Field): Html {
  const text = [schema.description, limitsOf(schema)].filter(Boolean).join('. ')
  const sentence = text === '' ? '' : `${text}.`
  return html`<dt><code>${name}</code> <span class="type">${typeOf(schema)}</span>${isRequired ? undefined : html` <span class="type">optional</span>`}</dt><dd>${inline(sentence)}</dd>`
}

function typeOf(schema: Schema): string {
  if (schema.anyOf && !schema.type) return schema.anyOf.map(typeOf).join(' or ')
  if (schema.items) return `array of ${typeOf(schema.items)}s`
  const types = [schema.type ?? 'any'].flat()
  const named = types.map((type) => (type === 'string' && schema.format) || type)
  return named.join(' or ')
}

function limitsOf(schema: Schema): string {
  const { minimum, maximum, minLength, maxLength, maxItems } = schema
  return [
    schema.enum && `One of ${schema.enum.map((value) => `\`${value}\``).join(', ')}`,
    range('', minimum, maximum === Number.MAX_SAFE_INTEGER ? undefined : maximum),
    range(' characters', minLength || undefined, maxLength),
    range(' items', undefined, maxItems),
    schema.default !== undefined && `Default \`${schema.default}\``,
  ]
    .filter(Boolean)
    .join('. ')
}

function range(unit: string, from: number | undefined, to: number | undefined): string | undefined {
  if (from !== undefined && to !== undefined) return `${from} to ${to}${unit}`
  if (from !== undefined) return `At least ${from}${unit}`
  return to === undefined ? undefined : `At most ${to}${unit}`
}
