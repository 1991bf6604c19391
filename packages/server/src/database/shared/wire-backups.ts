import { type BackupData, KEPT_BACKUPS } from '../backup-data.ts'
import type { Engine } from './wire-account-data.ts'

/** The same in both engines. */
export function wireBackups<Unit>(engine: Engine<Unit>): BackupData {
  const { beginBackup, forgetBackups, holdRemovals, endBackup, listBackups } =
    engine.statements.backups
  const read = engine.runner({ kind: 'read', party: 'backups' })
  const write = engine.runner({ kind: 'write', party: 'backups' })
  return {
    async beginBackup({ id, location, holdForMs: hold }) {
      await write((unit) => engine.execute(unit, beginBackup, { id, location, hold }))
      await write((unit) => engine.execute(unit, forgetBackups, { keep: KEPT_BACKUPS }))
    },
    holdRemovals: async (id, hold) =>
      (await write((unit) => engine.execute(unit, holdRemovals, { id, hold }))) ?? false,
    endBackup: (id, result) =>
      write((unit) => {
        const { generation = null, files = 0, bytes = 0, damaged = 0 } = result ?? {}
        return engine.execute(unit, endBackup, { id, generation, files, bytes, damaged })
      }),
    listBackups: (limit) => read((unit) => engine.execute(unit, listBackups, { limit })),
  }
}
