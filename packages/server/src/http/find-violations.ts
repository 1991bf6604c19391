import type { TextCheck } from '@stowage/protocol'
import { TEXT_CHECKS } from './text-checks.ts'

/** The keywords of JSON Schema by which requests are described. */
export interface Schema {
  type?: string | string[]
  properties?: Record<string, Schema>
  required?: string[]
  items?: Schema
  minItems?: number
  maxItems?: number
  minLength?: number
  maxLength?: number
  format?: string
  pattern?: string
  minimum?: number
  maximum?: number
  enum?: unknown[]
  anyOf?: Schema[]
  /** What the text must meet beyond the schema. */
  'x-check'?: TextCheck
  /** A sentence for whoever does not meet this schema. */
  'x-problem'?: string
}

/** A value that does not meet its schema. */
export interface Fault {
  /** `products.0.name`; empty for the whole. */
  field: string
  problem: string
}

/** Who sent thousands of wrong values learns of the first few. */
const MOST_WRONG = 8
const NOT_AN_OBJECT = 'must be a JSON object'
const UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i

/**
 * Finds what does not meet the schema, by the rules of JSON Schema; the problem is that of the
 * innermost schema that names one. Of lists the length comes before the elements: of a list that is
 * too long, with a million of them, none is looked at.
 */
export function findFaults(schema: Schema, value: unknown): Fault[] {
  const faults: Fault[] = []
  const path: (string | number)[] = []
  let wrong = 0

  function visit(schema: Schema, value: unknown, outer: string): void {
    if (wrong >= MOST_WRONG) return
    const problem = schema['x-problem'] ?? outer
    if (!isOfType(schema, value) || !isWithin(schema, value)) add(problem)
    else if (typeof value === 'string') visitText(schema, value)
    else if (Array.isArray(value)) visitElements(schema, value, problem)
    else if (typeof value === 'object' && value !== null) visitMembers(schema, value, problem)
  }

  function visitText({ 'x-check': check }: Schema, text: string): void {
    const problem = check === undefined ? undefined : TEXT_CHECKS[check](text)
    if (problem !== undefined) add(problem)
  }

  function visitElements({ items }: Schema, list: unknown[], problem: string): void {
    if (items === undefined) return
    for (const [index, element] of list.entries()) visitAt(index, items, element, problem)
  }

  function visitMembers({ properties, required }: Schema, value: object, problem: string): void {
    const members = value as Record<string, unknown>
    const missing = required?.filter((name) => members[name] === undefined) ?? []
    if (missing.length > 0) add('is required', missing)
    for (const name in properties) {
      const [property, member] = [properties[name], members[name]]
      if (property !== undefined && member !== undefined) visitAt(name, property, member, problem)
    }
  }

  function visitAt(step: string | number, schema: Schema, value: unknown, problem: string): void {
    path.push(step)
    visit(schema, value, problem)
    path.pop()
  }

  function add(problem: string, missing?: string[]): void {
    wrong += 1
    const fields = missing?.map((name) => [...path, name]) ?? [path]
    for (const field of fields) faults.push({ field: field.join('.'), problem })
  }

  visit(schema, value, NOT_AN_OBJECT)
  return faults
}

function isOfType({ type, anyOf, enum: values }: Schema, value: unknown): boolean {
  if (typeof type === 'string' && !hasType(type, value)) return false
  if (Array.isArray(type) && !type.some((one) => hasType(one, value))) return false
  if (values !== undefined && !values.includes(value)) return false
  return anyOf === undefined || anyOf.some((schema) => findFaults(schema, value).length === 0)
}

function hasType(type: string, value: unknown): boolean {
  if (type === 'integer') return Number.isInteger(value)
  if (type === 'array') return Array.isArray(value)
  if (type === 'null') return value === null
  if (type === 'object') return typeof value === 'object' && value !== null && !Array.isArray(value)
  return typeof value === type
}

function isWithin(schema: Schema, value: unknown): boolean {
  if (typeof value === 'string') return isTextWithin(schema, value)
  if (typeof value === 'number') return isBetween(value, schema.minimum, schema.maximum)
  return !Array.isArray(value) || isBetween(value.length, schema.minItems, schema.maxItems)
}

function isTextWithin(schema: Schema, text: string): boolean {
  const { minLength, maxLength, format, pattern } = schema
  const hasLimits = minLength !== undefined || maxLength !== undefined
  if (hasLimits && !isBetween(lengthOf(text), minLength, maxLength)) return false
  if (format === 'uuid' && !UUID.test(text)) return false
  return pattern === undefined || new RegExp(pattern, 'u').test(text)
}

function isBetween(number: number, least = -Infinity, most = Infinity): boolean {
  return number >= least && number <= most
}

/** In code points, as JSON Schema counts. */
function lengthOf(text: string): number {
  let length = 0
  for (const _ of text) length += 1
  return length
}
