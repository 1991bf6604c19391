import type { DatabaseSync, SQLInputValue } from 'node:sqlite'

type Parameters = Record<string, SQLInputValue>

/** A prepared statement whose rows have a known shape: the one place where rows are trusted. */
export interface Statement<Row> {
  get(parameters?: Parameters): Row | undefined
  all(parameters?: Parameters): Row[]
  /** Returns how many rows it changed. */
  run(parameters?: Parameters): number
}

export function prepare<Row = never>(connection: DatabaseSync, sql: string): Statement<Row> {
  const statement = connection.prepare(sql)
  return {
    get: (parameters = {}) => statement.get(parameters) as Row | undefined,
    all: (parameters = {}) => statement.all(parameters) as Row[],
    run: (parameters = {}) => Number(statement.run(parameters).changes),
  }
}
