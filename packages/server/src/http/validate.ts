import type { FastifySchemaCompiler } from 'fastify'
import type { TSchema } from 'typebox'
import { Compile } from 'typebox/compile'
import { invalid, ServiceError } from '../errors.ts'

/** Checks by the protocol's schemas. Only what comes as text (query, path) is converted. */
export const compileValidator: FastifySchemaCompiler<TSchema> = ({ schema, httpPart }) => {
  const validator = Compile(schema)
  const isText = httpPart === 'querystring' || httpPart === 'params'
  return (input: unknown) => {
    const value = isText ? convertText(schema, input) : input
    // Nothing that comes as text may be a list.
    const tooLong = isText ? undefined : findTooLongList(schema, value)
    if (tooLong !== undefined) return { error: invalid(tooLong) }
    if (validator.Check(value)) return { value }
    // What can't be an id is the id of nothing.
    if (httpPart === 'params') return { error: new ServiceError('not_found', NO_SUCH_ID) }
    return { error: invalid(describe(schema, [...validator.Errors(value)])) }
  }
}

const NO_SUCH_ID = 'Nothing has this id. Check it.'

interface ListSchema {
  maxItems?: number
  items?: ListSchema
  properties?: Record<string, ListSchema>
  'x-problem'?: string
}

/**
 * A list that is too long is found before its elements are looked at, of which there may be a
 * million. Elements are looked into only while the list around them is not too long.
 */
function findTooLongList(
  schema: ListSchema,
  value: unknown,
  path: string[] = [],
): Record<string, string[]> | undefined {
  if (Array.isArray(value)) {
    const { maxItems = Number.POSITIVE_INFINITY, items } = schema
    if (value.length > maxItems) {
      const problem = schema['x-problem'] ?? `must have at most ${maxItems} elements`
      return { [path.join('.')]: [problem] }
    }
    if (items?.properties === undefined) return undefined
    return firstOf(value.entries(), ([index, element]) =>
      findTooLongList(items, element, [...path, String(index)]),
    )
  }
  if (typeof value !== 'object' || value === null) return undefined
  return firstOf(Object.entries(schema.properties ?? {}), ([name, property]) =>
    findTooLongList(property, (value as Record<string, unknown>)[name], [...path, name]),
  )
}

function firstOf<Item, Result>(
  items: Iterable<Item>,
  find: (item: Item) => Result | undefined,
): Result | undefined {
  for (const item of items) {
    const result = find(item)
    if (result !== undefined) return result
  }
  return undefined
}

/** Numbers, booleans and UUIDs (the same in either case) as text; what does not read as one stays text and is refused by type. */
function convertText(schema: TSchema, input: unknown): unknown {
  if (typeof input !== 'object' || input === null || !('properties' in schema)) return input
  const properties = schema.properties as Record<string, TextSchema>
  return Object.fromEntries(
    Object.entries(input).map(([name, text]) => [name, convertOne(properties[name] ?? {}, text)]),
  )
}

interface TextSchema {
  type?: string
  format?: string
}

const BOOLEANS: Record<string, boolean> = { true: true, 1: true, false: false, 0: false }

function convertOne({ type, format }: TextSchema, text: unknown): unknown {
  if (typeof text !== 'string') return text
  if (format === 'uuid') return text.toLowerCase()
  if (type === 'boolean') return BOOLEANS[text] ?? text
  if (type === 'integer' && /^-?\d+$/.test(text)) return Number(text)
  return text
}

interface Fault {
  keyword: string
  instancePath: string
  schemaPath: string
  params: object
}

function describe(schema: TSchema, faults: Fault[]): Record<string, string[]> {
  const errors: Record<string, string[]> = {}
  for (const fault of faults) {
    const path = fault.instancePath.split('/').slice(1)
    if (fault.keyword === 'required' && 'requiredProperties' in fault.params) {
      for (const name of fault.params.requiredProperties as string[]) {
        errors[[...path, name].join('.')] = ['is required']
      }
      continue
    }
    const field = path.join('.') || 'body'
    errors[field] ??= [problemAt(schema, fault.schemaPath) ?? 'must be a JSON object']
  }
  return errors
}

/** The sentence of the innermost schema on the way that has one. */
function problemAt(schema: TSchema, schemaPath: string): string | undefined {
  let node: unknown = schema
  let problem: string | undefined
  for (const step of ['', ...schemaPath.split('/').slice(1)]) {
    if (step !== '') node = (node as Record<string, unknown> | undefined)?.[step]
    const own = (node as Record<string, unknown> | undefined)?.['x-problem']
    if (typeof own === 'string') problem = own
  }
  return problem
}
