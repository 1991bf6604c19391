import type { Value } from './rows.ts'

/** The few expressions in which the engines differ. Everything else in a shared statement is SQL that both understand. */
export interface Dialect {
  /** The database's clock. */
  readonly clock: string
  /** A time that is this many milliseconds later. */
  later(time: string, ms: number | string): string
  /** A time that is earlier by the milliseconds of an expression. */
  earlier(time: string, ms: string): string
  flag(value: boolean): string
  /** A condition: the column has one of the texts of a list. `list` is the name of a parameter. */
  isIn(column: string, list: string): string
  /** The same for a column of IDs. */
  isIdIn(column: string, list: string): string
  jsonArray(...expressions: string[]): string
  /** A JSON value that is an element of another one. */
  nestedJson(expression: string): string
  /** A JSON array of the values of a group of rows, in this order. */
  jsonGroup(expression: string, order: string): string
  /** The number of elements of a JSON array that is stored as text. */
  lengthOfJson(expression: string): string
  /** The type of IDs. */
  readonly idType: string
  /** A parameter that is an ID. */
  id(name: string): string
  /** A table with the column `value`, which has the IDs of a list. `list` is the name of a parameter. */
  idsOf(list: string): string
  /** The same with the column `position`, from 1. */
  orderedIdsOf(list: string): string
  /** A join that keeps the order of the tables, if the engine would choose a slow one. */
  readonly joinInOrder: string
  /** Makes other transactions wait that select or change the same rows. */
  readonly lock: string
  /**
   * A condition of a change: the column is one of those that a limited selection returns. The selection runs once, locks its
   * rows, and skips those that another transaction has locked.
   */
  isOneOf(column: string, selection: string): string
  /** Makes other transactions wait that delete the same rows. */
  readonly lockKey: string
  /** A statement that makes other transactions wait that find out which products of `:account` are meant. */
  readonly lockIdentities: string
  /** The days since 1970, in UTC. */
  dayOf(time: string): string
  /** The condition that joins `product_handles h` with `products p`. */
  readonly handleOfProduct: string
  /** The columns that connect `asset_products l` with `assets a` and `products p`. */
  readonly attachment: { asset: string; ofAsset: string; ofProduct: string; key: string }
}

/**
 * One statement for both engines, with parameters such as `:account`. Create it once, not for each call: the engines keep
 * what they know about a statement.
 */
export interface Statement<Values, Result> {
  readonly text: string
  /** The texts between the parameters, and the names of the parameters. */
  readonly strings: TemplateStringsArray
  readonly names: readonly string[]
  toResult(rows: readonly never[]): Result
  /** Only for the compiler. */
  readonly values?: Values
}

export type Values = Record<string, Value>

export function statement<Given extends Values = Record<never, never>>(text: string) {
  // A parameter starts with one colon: `::uuid` is a cast.
  const parts = text.split(/(?<!:):([a-z_]+)/)
  const strings = parts.filter((_, index) => index % 2 === 0)
  const names = parts.filter((_, index) => index % 2 === 1)
  const shared = { text, strings: Object.assign(strings, { raw: strings }), names }

  return {
    /** The result is the first row; undefined if there is none. */
    first: <Row, Result>(convert: (row: Row) => Result): Statement<Given, Result | undefined> => ({
      ...shared,
      toResult: ([row]: readonly Row[]) => (row === undefined ? undefined : convert(row)),
    }),
    /** The result is made from all rows together. */
    rows: <Row, Result>(convert: (rows: readonly Row[]) => Result): Statement<Given, Result> => ({
      ...shared,
      toResult: convert,
    }),
    /** The result has all rows. */
    every: <Row, Result>(convert: (row: Row) => Result): Statement<Given, Result[]> => ({
      ...shared,
      toResult: (rows: readonly Row[]) => rows.map((row) => convert(row)),
    }),
    /** The statement returns no rows. */
    none: (): Statement<Given, void> => ({ ...shared, toResult() {} }),
  }
}
