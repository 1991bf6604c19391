import { MAX_SEARCH_WORDS, type TextCheck } from '@stowage/protocol'
import { parseDuration, parseSize, parseTimestamp } from '@stowage/protocol/format'
import type { FastifySchemaCompiler } from 'fastify'
import { invalid, ServiceError } from '../domain/errors.ts'
import { isMediaTypePattern, parseMediaType } from '../domain/media-type.ts'
import {
  isPrintable,
  problemWithFilename,
  problemWithPath,
  problemWithPathFilter,
} from '../domain/names.ts'
import { searchWords } from '../domain/search.ts'
import { problemWithTag } from '../domain/tags.ts'
import { MAX_TOKEN_LIFETIME_MS } from '../domain/upload-token.ts'
import { parseOrigin, problemWithLinkUrl, problemWithWebhookUrl } from '../domain/urls.ts'
import { closestOf, editDistance } from '../text/closest.ts'

/** Validates by the protocol’s schemas. Converts only the query and the path, which are always text. */
export const compileValidator: FastifySchemaCompiler<Schema> = ({ schema, httpPart }) => {
  const isText = httpPart === 'querystring' || httpPart === 'params'
  return (input: unknown) => {
    const value = isText ? convertText(schema, input) : input
    const violations = findViolations(schema, value)
    if (violations.length === 0) return { value }
    if (httpPart === 'params') return { error: idNotFound(violations) }
    return { error: invalid(byField(violations), { areWireNames: true }) }
  }
}

/** A malformed ID or version number cannot exist, so it is not found. */
function idNotFound([first]: Violation[]): ServiceError {
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

/** The keywords of JSON Schema that the schemas of requests use. */
export interface Schema {
  type?: string | string[]
  properties?: Record<string, Schema>
  required?: string[]
  /** False: members that `properties` does not have are refused. */
  additionalProperties?: boolean
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
  /** Names of the same required field: one of them must be given. */
  'x-aliases'?: string[]
  /** A check of the text that JSON Schema cannot express. */
  'x-check'?: TextCheck
  /** The clause for the error message if a value violates this schema. */
  'x-problem'?: string
}

/** A value that violates its schema. */
interface Violation {
  /** Such as `products.0.name`; empty for the whole value. */
  field: string
  problem: string
}

/** Only the first violations are reported, even if thousands of values are wrong. */
const MAX_VIOLATIONS = 8
const NOT_AN_OBJECT = 'must be a JSON object'
const UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i

/**
 * Validates by the rules of JSON Schema. `problem` is the `x-problem` of the innermost schema that has one,
 * or the result of `x-check`. The length of a list is checked before its elements, so that the elements of a
 * list that is too long are never visited.
 */
export function findViolations(schema: Schema, value: unknown): Violation[] {
  const violations: Violation[] = []
  const path: (string | number)[] = []
  let count = 0

  function visit(schema: Schema, value: unknown, outer: string): void {
    if (count >= MAX_VIOLATIONS) return
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

  function visitMembers(schema: Schema, value: object, problem: string): void {
    const { properties = {}, required = [], 'x-aliases': aliases = [] } = schema
    const members = value as Record<string, unknown>
    const isMissing = (name: string) => members[name] === undefined
    // A required field that has an alias is named by its own name.
    const [unnamed] = aliases.every(isMissing) ? aliases : []
    const missing = [...(unnamed === undefined ? [] : [unnamed]), ...required.filter(isMissing)]
    const isStrict = schema.additionalProperties === false
    const unknown = isStrict ? unknownOf(members, Object.keys(properties)) : []
    // A misspelled field comes first: it is why another one is missing.
    addUnknown(unknown.filter(({ isMisspelled }) => isMisspelled))
    if (missing.length > 0) add('is required', missing)
    addUnknown(unknown.filter(({ isMisspelled }) => !isMisspelled))
    for (const name in properties) {
      const [property, member] = [properties[name], members[name]]
      if (property !== undefined && member !== undefined) visitAt(name, property, member, problem)
    }
  }

  function addUnknown(unknown: UnknownField[]): void {
    for (const { name, problem } of unknown) add(problem, [name])
  }

  function visitAt(step: string | number, schema: Schema, value: unknown, problem: string): void {
    path.push(step)
    visit(schema, value, problem)
    path.pop()
  }

  function add(problem: string, missing?: string[]): void {
    count += 1
    const fields = missing?.map((name) => [...path, name]) ?? [path]
    for (const field of fields) violations.push({ field: field.join('.'), problem })
  }

  visit(schema, value, NOT_AN_OBJECT)
  return violations
}

/** A name from a request is shown up to this length. */
const MAX_NAME_LENGTH = 64

interface UnknownField {
  name: string
  problem: string
  isMisspelled: boolean
}

/** The first members that are not fields. The problem names the closest field, or all of them if none is close. */
function unknownOf(members: object, known: string[]): UnknownField[] {
  const names = Object.keys(members).filter((name) => !known.includes(name))
  return names.slice(0, MAX_VIOLATIONS).map((long) => {
    const name = long.slice(0, MAX_NAME_LENGTH)
    const closest = closestOf(name, known)
    const distance = editDistance(name, closest)
    const isClose = distance <= Math.max(2, closest.length / 2)
    const hint = isClose ? `the closest field is ${closest}` : `its fields are ${known.join(', ')}`
    const problem = `is not a field of this call; ${hint}`
    return { name, problem, isMisspelled: distance <= 2 }
  })
}

function isOfType({ type, anyOf, enum: values }: Schema, value: unknown): boolean {
  if (typeof type === 'string' && !hasType(type, value)) return false
  if (Array.isArray(type) && !type.some((one) => hasType(one, value))) return false
  if (values !== undefined && !values.includes(value)) return false
  return anyOf === undefined || anyOf.some((schema) => findViolations(schema, value).length === 0)
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

/** The number of code points, as JSON Schema defines it. */
function lengthOf(text: string): number {
  let length = 0
  for (const _ of text) length += 1
  return length
}

const MEDIA_TYPE_PROBLEM = 'must be a media type such as application/zip'
const PATTERN_PROBLEM = 'must be a media type such as application/zip, or a pattern such as image/*'
const ORIGIN_PROBLEM = 'must be an origin such as https://shop.example, without a path'
const LIFETIME_PROBLEM =
  'must be a whole number of seconds from 1 to 86400, or a string such as 30m or 24h'
const TIMESTAMP_PROBLEM = 'must be a time such as 2026-12-31T23:59:59Z'
const SIZE_PROBLEM = 'must be a number of bytes, or a string such as 10MB or 1.5 GB'

/** What is wrong with a text, as a clause for the error message; undefined if nothing is. */
const TEXT_CHECKS: Record<TextCheck, (text: string) => string | undefined> = {
  filename: problemWithFilename,
  lines: (text) => problemWithCharacters(text.replaceAll('\n', ' ')),
  'link-url': problemWithLinkUrl,
  'media-type': (text) => (parseMediaType(text) === undefined ? MEDIA_TYPE_PROBLEM : undefined),
  'media-type-pattern': (text) => (isMediaTypePattern(text) ? undefined : PATTERN_PROBLEM),
  origin: (text) => (parseOrigin(text) === undefined ? ORIGIN_PROBLEM : undefined),
  path: problemWithPath,
  'path-filter': problemWithPathFilter,
  printable: problemWithCharacters,
  search: (text) => problemWithCharacters(text) ?? problemWithWords(text),
  'webhook-url': problemWithWebhookUrl,
  tag: problemWithTag,
  size: (text) => (parseSize(text) === undefined ? SIZE_PROBLEM : undefined),
  timestamp: (text) => (parseTimestamp(text) === undefined ? TIMESTAMP_PROBLEM : undefined),
  'token-lifetime': problemWithLifetime,
}

function problemWithLifetime(text: string): string | undefined {
  const ms = parseDuration(text) ?? 0
  return ms >= 1000 && ms <= MAX_TOKEN_LIFETIME_MS ? undefined : LIFETIME_PROBLEM
}

function problemWithCharacters(text: string): string | undefined {
  return isPrintable(text) ? undefined : 'must not have control characters or lone surrogates'
}

function problemWithWords(text: string): string | undefined {
  const count = searchWords(text).length
  if (count <= MAX_SEARCH_WORDS) return undefined
  return `has ${count} different words; send at most ${MAX_SEARCH_WORDS}`
}
