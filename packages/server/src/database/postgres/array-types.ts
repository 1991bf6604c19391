import type { PostgresType } from 'postgres'
import { parse } from 'postgres-array'

/**
 * The array types that our statements use. By default, the client queries the types of the database before its first
 * statement, and if the connection breaks meanwhile, nothing handles the failure of that query, which ends the process.
 */
export const ARRAY_TYPES: Record<string, PostgresType> = {
  int4Array: arrayOf(1007, Number),
  textArray: arrayOf(1009, String),
  int8Array: arrayOf(1016, Number),
  timestamptzArray: arrayOf(1185, (text) => new Date(text)),
  uuidArray: arrayOf(2951, String),
}

/** The type with this OID, which is the same in every database. */
function arrayOf<Element>(oid: number, parseElement: (text: string) => Element): PostgresType {
  return {
    to: oid,
    from: [oid],
    serialize: (elements: readonly (string | number | null)[]) => `{${elements.map(quote).join()}}`,
    parse: (text: string) => parse(text, parseElement),
  }
}

function quote(element: string | number | null): string {
  return element === null ? 'null' : `"${String(element).replace(/["\\]/g, '\\$&')}"`
}
