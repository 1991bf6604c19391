import type { DatabaseSync, SQLInputValue } from 'node:sqlite'

type Parameters = Record<string, SQLInputValue>

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
   * transaction.
   */
  transaction<Result>(work: () => Result): Result
}

/** `onStatement` is told of every statement that runs. */
export function wrapConnection(
  database: DatabaseSync,
  onStatement: (sql: string) => void = () => {},
): Connection {
  const prepared = new Map<string, Statement<unknown>>()

  function prepare(sql: string): Statement<unknown> {
    const statement = database.prepare(sql)
    const told = <Result>(result: Result): Result => {
      onStatement(sql)
      return result
    }
    return {
      get: (parameters = {}) => told(statement.get(parameters)),
      all: (parameters = {}) => told(statement.all(parameters)),
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
      database.exec('begin immediate')
      try {
        const result = work()
        database.exec('commit')
        return result
      } catch (error) {
        if (database.isTransaction) database.exec('rollback')
        throw error
      }
    },
  }
}
