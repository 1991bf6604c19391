import type { OperatorData } from '../operator-data.ts'
import type { Engine } from './wire-account-data.ts'

/** The same in both engines. */
export function wireOperator<Unit>({ statements, runner, execute }: Engine<Unit>): OperatorData {
  const read = runner({ kind: 'read', party: 'jobs' })
  const write = runner({ kind: 'free', party: 'jobs' })
  const { operator } = statements
  return {
    recordInstance: async ({ freeBytes, fullAt, problems, ...instance }) => {
      await write((unit) =>
        execute(unit, operator.recordInstance, {
          ...instance,
          problems: JSON.stringify(problems),
          free_bytes: freeBytes,
          full_at: fullAt,
        }),
      )
      await write((unit) => execute(unit, operator.forgetInstances, {}))
    },
    removeInstance: (id) => write((unit) => execute(unit, operator.removeInstance, { id })),
    listInstances: () => read((unit) => execute(unit, operator.listInstances, {})),
    readFailures: async () =>
      (await read((unit) => execute(unit, operator.readFailures, {}))) ?? {
        mails: 0,
        webhooks: 0,
        bulkJobs: 0,
      },
    listLargestAccounts: (limit) =>
      read((unit) => execute(unit, operator.listLargestAccounts, { limit })),
  }
}
