import type { TSchemaOptions } from 'typebox'
import { Type } from './type.ts'

/** A sentence for `errors.<field>` whenever the schema that carries it is not met. */
export function Problem(problem: string) {
  return { 'x-problem': problem }
}

/** What JSON Schema can't say of a text; the service has a function for each. */
export type TextCheck = 'filename' | 'link-url' | 'media-type' | 'searchable' | 'size'

export function Check(check: TextCheck) {
  return { 'x-check': check }
}

export function Uuid(options: TSchemaOptions = {}) {
  return Type.String({ format: 'uuid', ...Problem('must be a UUID'), ...options })
}

interface NullableTypes {
  string: string
  integer: number
}

/** A type list serializes much faster than `anyOf`, and says the same in OpenAPI 3.1. */
export function Nullable<Name extends keyof NullableTypes>(
  type: Name,
  options: TSchemaOptions = {},
) {
  return Type.Unsafe<NullableTypes[Name] | null>({ type: [type, 'null'], ...options })
}

/** The largest whole number that JSON clients carry without loss. */
export const LARGEST_INTEGER = Number.MAX_SAFE_INTEGER

export const FILENAME_PROBLEM =
  'must be the file’s name alone: 1 to 255 characters, without folders or control characters'
