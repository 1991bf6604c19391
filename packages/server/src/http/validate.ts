import type { FastifySchemaCompiler } from 'fastify'
import { invalid, ServiceError } from '../errors.ts'
import { type Fault, findFaults, type Schema } from './find-violations.ts'

/** Checks by the protocol's schemas. Only what comes as text (query, path) is converted. */
export const compileValidator: FastifySchemaCompiler<Schema> = ({ schema, httpPart }) => {
  const isText = httpPart === 'querystring' || httpPart === 'params'
  return (input: unknown) => {
    const value = isText ? convertText(schema, input) : input
    const faults = findFaults(schema, value)
    if (faults.length === 0) return { value }
    // What can't be an id is the id of nothing.
    if (httpPart === 'params') return { error: new ServiceError('not_found', NO_SUCH_ID) }
    return { error: invalid(byField(faults)) }
  }
}

const NO_SUCH_ID = 'Nothing has this id. Check it.'

function byField(faults: Fault[]): Record<string, string[]> {
  const errors: Record<string, string[]> = {}
  for (const { field, problem } of faults) errors[field || 'body'] ??= [problem]
  return errors
}

/** Numbers, booleans and UUIDs (the same in either case) as text; what does not read as one stays text and is refused by type. */
function convertText({ properties = {} }: Schema, input: unknown): unknown {
  if (typeof input !== 'object' || input === null) return input
  return Object.fromEntries(
    Object.entries(input).map(([name, text]) => [name, convertOne(properties[name] ?? {}, text)]),
  )
}

/** In any case: Python and .NET write True and False. */
const BOOLEANS: Record<string, boolean> = { true: true, 1: true, false: false, 0: false }

function convertOne({ type, format }: Schema, text: unknown): unknown {
  if (typeof text !== 'string') return text
  if (format === 'uuid') return text.toLowerCase()
  if (type === 'boolean') return BOOLEANS[text.toLowerCase()] ?? text
  if (type === 'integer' && /^-?\d+$/.test(text)) return Number(text)
  return text
}
