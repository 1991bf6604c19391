import type { DatabaseSync, SQLInputValue, SQLOutputValue } from 'node:sqlite'

type Parameters = Record<string, SQLInputValue>
type Values = SQLOutputValue[]

/** A prepared statement. The type of its rows is not checked. */
export interface Statement<Row> {
  get(parameters?: Parameters): Row | undefined
  all(parameters?: Parameters): Row[]
  /** Returns the number of changed rows. */
  run(parameters?: Parameters): number
}

export interface Connection {
  /**
   * Prepares each SQL text once, when it is first used: preparing all of them would take most of the time
   * that opening a database takes. Returns the same statement for the same text.
   */
  prepare<Row = never>(sql: string): Statement<Row>
  /**
   * The callback is synchronous on purpose: during an await, other requests would run inside the
   * transaction. A nested call joins the outer transaction.
   */
  transaction<Result>(work: () => Result): Result
  /** Call it in the transaction that writes an event, so that readers are woken up after its commit. */
  markEvents(accountId: string): void
  /** `transaction` calls it. Call it after a commit that does not use `transaction`. */
  announceEvents(): void
}

export interface ConnectionListeners {
  /** Called for every statement that runs. */
  onStatement?: ((sql: string) => void) | undefined
  /** Called after a commit with the accounts whose events the transaction may have written. */
  onEvents?: ((accountIds: Iterable<string>) => void) | undefined
}

export function wrapConnection(
  database: DatabaseSync,
  { onStatement = () => {}, onEvents = () => {} }: ConnectionListeners = {},
): Connection {
  let marked = new Set<string>()
  const prepared = new Map<string, Statement<unknown>>()
  const begin = database.prepare('begin immediate')
  const commit = database.prepare('commit')
  const rollback = database.prepare('rollback')

  function compile(sql: string) {
    const statement = database.prepare(sql)
    // The row objects of node:sqlite are slow to create and to read.
    statement.setReturnArrays(true)
    return { statement, toRow: createRowMapper(statement.columns().map(({ name }) => name)) }
  }

  function prepare(sql: string): Statement<unknown> {
    let compiled: ReturnType<typeof compile> | undefined
    const use = () => {
      compiled ??= compile(sql)
      return compiled
    }
    const reported = <Result>(result: Result): Result => {
      onStatement(sql)
      return result
    }
    return {
      get(parameters = {}) {
        const { statement, toRow } = use()
        const values = reported(statement.get(parameters)) as Values | undefined
        return values && toRow(values)
      },
      all(parameters = {}) {
        const { statement, toRow } = use()
        return (reported(statement.all(parameters)) as unknown as Values[]).map(toRow)
      },
      run: (parameters = {}) => reported(Number(use().statement.run(parameters).changes)),
    }
  }

  function announceEvents(): void {
    if (marked.size === 0) return
    onEvents(marked)
    marked = new Set()
  }

  return {
    markEvents: (accountId) => void marked.add(accountId),
    announceEvents,
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
        announceEvents()
        return result
      } catch (error) {
        if (database.isTransaction) rollback.run()
        throw error
      }
    },
  }
}

/**
 * Compiles an object literal for each statement. Filling rows property by property takes several times
 * as long, because V8 does not know their shape.
 */
function createRowMapper(names: string[]): (values: Values) => unknown {
  const members = names.map((name, index) => `${JSON.stringify(name)}: values[${index}]`)
  return new Function('values', `return { ${members.join(', ')} }`) as (values: Values) => unknown
}
