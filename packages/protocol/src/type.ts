import type TypeBox from 'typebox'
import type { TProperties, TSchema, TSchemaOptions } from 'typebox'

export type { Static, TSchema } from 'typebox'

type Names = 'Array' | 'Boolean' | 'Enum' | 'Integer' | 'Object' | 'Optional' | 'Record' | 'String'

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
} as unknown as Pick<typeof TypeBox, Names | 'Unsafe'>
