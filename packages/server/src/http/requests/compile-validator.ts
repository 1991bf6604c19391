import type { FastifySchemaCompiler } from 'fastify'
import { invalid, ServiceError } from '../../errors.ts'
import { findViolations, type Schema, type Violation } from './find-violations.ts'

/** Validates by the protocol’s schemas. Converts only the query and the path, which are always text. */
export const compileValidator: FastifySchemaCompiler<Schema> = ({ schema, httpPart }) => {
  const isText = httpPart === 'querystring' || httpPart === 'params'
  return (input: unknown) => {
    const value = isText ? convertText(schema, input) : input
    const violations = findViolations(schema, value)
    if (violations.length === 0) return { value }
    if (httpPart === 'params') return { error: notFound(violations) }
    return { error: invalid(byField(violations)) }
  }
}

/** A malformed ID or version number cannot exist, so it is not found. */
function notFound([first]: Violation[]): ServiceError {
  const name = first?.field === 'version' ? 'version' : 'ID'
  return new ServiceError('not_found', `This ${name} does not exist. Check the ${name}.`)
}

function byField(violations: Violation[]): Record<string, string[]> {
  const errors: Record<string, string[]> = {}
  for (const { field, problem } of violations) errors[field || 'body'] ??= [problem]
  return errors
}

/** Converts numbers, booleans and UUIDs. Text that cannot be converted stays text, and the schema refuses it. */
function convertText({ properties = {} }: Schema, input: unknown): unknown {
  if (typeof input !== 'object' || input === null) return input
  return Object.fromEntries(
    Object.entries(input).map(([name, text]) => [name, convertOne(properties[name] ?? {}, text)]),
  )
}

/** Compared in lower case, because Python and .NET write True and False. */
const BOOLEANS: Record<string, boolean> = { true: true, 1: true, false: false, 0: false }

function convertOne({ type, format }: Schema, text: unknown): unknown {
  if (typeof text !== 'string') return text
  if (format === 'uuid') return text.toLowerCase()
  if (type === 'boolean') return BOOLEANS[text.toLowerCase()] ?? text
  if (type === 'integer' && /^-?\d+$/.test(text)) return Number(text)
  return text
}
