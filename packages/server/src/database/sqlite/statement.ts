import type { DatabaseSync, SQLInputValue, SQLOutputValue } from 'node:sqlite'

type Parameters = Record<string, SQLInputValue>
type Values = SQLOutputValue[]

/** A prepared statement whose rows have a known shape: the one place where rows are trusted. */
export interface Statement<Row> {
  get(parameters?: Parameters): Row | undefined
  all(parameters?: Parameters): Row[]
  /** Returns how many rows it changed. */
  run(parameters?: Parameters): number
}

export interface Connection {
  /** Prepares the text once; the same text again gives the same statement. */
  prepare<Row = never>(sql: string): Statement<Row>
  /**
   * The callback is synchronous on purpose: an await inside it would let other requests into the
   * transaction. Inside another one it is a part of that.
   */
  transaction<Result>(work: () => Result): Result
}

/** `onStatement` is told of every statement that runs. */
export function wrapConnection(
  database: DatabaseSync,
  onStatement: (sql: string) => void = () => {},
): Connection {
  const prepared = new Map<string, Statement<unknown>>()
  const begin = database.prepare('begin immediate')
  const commit = database.prepare('commit')
  const rollback = database.prepare('rollback')

  function prepare(sql: string): Statement<unknown> {
    const statement = database.prepare(sql)
    // SQLite's own row objects are dictionaries: slow to make, and slow to read.
    statement.setReturnArrays(true)
    const toRow = rowMaker(statement.columns().map(({ name }) => name))
    const told = <Result>(result: Result): Result => {
      onStatement(sql)
      return result
    }
    return {
      get(parameters = {}) {
        const values = told(statement.get(parameters)) as Values | undefined
        return values && toRow(values)
      },
      all: (parameters = {}) => (told(statement.all(parameters)) as unknown as Values[]).map(toRow),
      run: (parameters = {}) => told(Number(statement.run(parameters).changes)),
    }
  }

  return {
    prepare<Row>(sql: string) {
      const statement = prepared.get(sql) ?? prepare(sql)
      prepared.set(sql, statement)
      return statement as Statement<Row>
    },
    transaction(work) {
      if (database.isTransaction) return work()
      begin.run()
      try {
        const result = work()
        commit.run()
        return result
      } catch (error) {
        if (database.isTransaction) rollback.run()
        throw error
      }
    },
  }
}

/**
 * Written as code, once for each statement: rows that are filled name by name have no shape that V8
 * knows, and take several times as long.
 */
function rowMaker(names: string[]): (values: Values) => unknown {
  const members = names.map((name, index) => `${JSON.stringify(name)}: values[${index}]`)
  return new Function('values', `return { ${members.join(', ')} }`) as (values: Values) => unknown
}
