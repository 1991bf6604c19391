import type TypeBox from 'typebox'
import type { TProperties, TSchema, TSchemaOptions } from 'typebox'

export type { Static, TSchema } from 'typebox'

type BuilderNames =
  | 'Array'
  | 'Boolean'
  | 'Enum'
  | 'Integer'
  | 'Object'
  | 'Optional'
  | 'Record'
  | 'String'

/** TypeBox marks an optional property with this key, which is not part of the JSON. */
const OPTIONAL = '~optional'

/**
 * The builders of TypeBox that the protocol uses, with the same schemas and types. TypeBox itself loads
 * hundreds of modules, which would take a third of the service’s start time.
 */
export const Type = {
  Array: (items: TSchema, options?: TSchemaOptions) => ({ type: 'array', items, ...options }),
  Boolean: (options?: TSchemaOptions) => ({ type: 'boolean', ...options }),
  Enum: (values: unknown[], options?: TSchemaOptions) => ({ enum: values, ...options }),
  Integer: (options?: TSchemaOptions) => ({ type: 'integer', ...options }),
  Object(properties: TProperties, options?: TSchemaOptions) {
    const names = Object.keys(properties)
    const required = names.filter((name) => !(OPTIONAL in (properties[name] ?? {})))
    return {
      type: 'object',
      ...(required.length > 0 && { required }),
      properties,
      ...options,
    }
  },
  Optional: (schema: TSchema) =>
    Object.defineProperty({ ...schema }, OPTIONAL, { value: true, enumerable: false }),
  Record: (_name: TSchema, values: TSchema, options?: TSchemaOptions) => ({
    type: 'object',
    patternProperties: { '^.*$': values },
    ...options,
  }),
  String: (options?: TSchemaOptions) => ({ type: 'string', ...options }),
  Unsafe: (schema: object) => ({ ...schema }),
} as unknown as Pick<typeof TypeBox, BuilderNames | 'Unsafe'>

/** `100000` as `100,000`. `toLocaleString` would load its data at each start, which takes 40 ms. */
export function grouped(count: number): string {
  return String(count).replace(/\B(?=(?:\d{3})+$)/g, ',')
}

/** The text for `errors.<field>` if a value does not match the schema. */
export function Problem(problem: string) {
  return { 'x-problem': problem }
}

/** Checks that JSON Schema cannot express; the service has a function for each. */
export type TextCheck =
  | 'filename'
  | 'lines'
  | 'link-url'
  | 'media-type'
  | 'media-type-pattern'
  | 'origin'
  | 'path'
  | 'path-filter'
  | 'printable'
  | 'search'
  | 'size'
  | 'tag'
  | 'timestamp'
  | 'token-lifetime'
  | 'webhook-url'

export function Check(check: TextCheck) {
  return { 'x-check': check }
}

/** For a required field that existing clients send under several names: one of them must be given. */
export function Aliases(...names: string[]) {
  return { 'x-aliases': names }
}

/**
 * For the bodies of our own calls: unknown fields are refused, because a mistyped limit must not mean that there is no
 * limit. The calls of the interface that existing clients know ignore unknown fields.
 */
export const Strict = { additionalProperties: false }

export function Uuid(options: TSchemaOptions = {}) {
  return Type.String({ format: 'uuid', ...Problem('must be a UUID'), ...options })
}

/** The headers of a call that creates something. */
export function IdempotencyHeaders(description: string) {
  return Type.Object({
    'idempotency-key': Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 255,
        pattern: '^[\\x21-\\x7e]+$',
        description,
        ...Problem('must be 1 to 255 visible ASCII characters'),
      }),
    ),
  })
}

/** For calls that create something other than an upload. */
export const CreationHeaders = IdempotencyHeaders(
  'For 24 hours, the same key with the same body returns the result of the first call, including its secret, and creates nothing. Each API key has its own Idempotency-Keys',
)

interface NullableTypes {
  string: string
  integer: number
}

/** A schema with an array of types serializes much faster than `anyOf`, and is equivalent in OpenAPI 3.1. */
export function Nullable<Name extends keyof NullableTypes>(
  type: Name,
  options: TSchemaOptions = {},
) {
  return Type.Unsafe<NullableTypes[Name] | null>({ type: [type, 'null'], ...options })
}

/** The largest integer that JSON clients represent exactly. */
export const MAX_INTEGER = Number.MAX_SAFE_INTEGER

export const FILENAME_PROBLEM =
  'must be a file name of 1 to 255 characters, without folders or control characters'

export const PATH_PROBLEM =
  'must be a relative path of at most 512 characters, such as course/week 1, in which no folder is empty, “.” or “..”'
