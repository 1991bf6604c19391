import type { bulk as English } from '../en/bulk.ts'
import type { Translation } from '../texts.ts'

export const bulk: Translation<typeof English> = {
  running: {
    delete: { one: '{count} Asset wird gelöscht', other: '{count} Assets werden gelöscht' },
    restore: {
      one: '{count} Asset wird wiederhergestellt',
      other: '{count} Assets werden wiederhergestellt',
    },
    attach: { one: '{count} Asset wird zugeordnet', other: '{count} Assets werden zugeordnet' },
    detach: {
      one: 'Die Zuordnung von {count} Asset wird aufgehoben',
      other: 'Die Zuordnungen von {count} Assets werden aufgehoben',
    },
    tag: { one: '{count} Asset erhält Tags', other: '{count} Assets erhalten Tags' },
    untag: {
      one: 'Tags von {count} Asset werden entfernt',
      other: 'Tags von {count} Assets werden entfernt',
    },
    move: { one: '{count} Asset wird verschoben', other: '{count} Assets werden verschoben' },
  },
  done: '{done} von {total}',
  stop: 'Anhalten',
  stopped: { one: 'Nach {count} Asset angehalten', other: 'Nach {count} Assets angehalten' },
  stopFailed: 'Die Änderung konnte nicht angehalten werden',
  region: 'Laufende Änderungen',
  kind: 'Änderung',
  add: 'Tags hinzufügen',
  remove: 'Tags entfernen',
}
