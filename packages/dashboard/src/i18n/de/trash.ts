import type { trash as English } from '../en/trash.ts'
import type { Translation } from '../texts.ts'

export const trash: Translation<typeof English> = {
  title: 'Papierkorb',
  empty: 'Papierkorb leeren',
  intro:
    'Gelöschte Assets können bis zum angegebenen Datum wiederhergestellt werden, oder bis ein Upload ihren Speicherplatz braucht. Sie zählen nicht zu Ihrem Tarif.',
  whoHint: 'Wer sie gelöscht hat: {activity}.',
  search: 'Papierkorb durchsuchen',
  loadFailed: 'Der Papierkorb konnte nicht geladen werden',
  noMatch: 'Keine passenden Assets',
  isEmpty: 'Der Papierkorb ist leer',
  isEmptyHint: 'Assets, die Sie löschen, stehen hier, bis sie entfernt werden.',
  noTrash: 'Dieser Dienst hat keinen Papierkorb',
  noTrashHint: 'Assets, die Sie löschen, werden sofort entfernt.',
  pages: 'Seiten des Papierkorbs',
  restore: 'Wiederherstellen',
  restoreNamed: '{name} wiederherstellen',
  restoreFailed: 'Die Assets konnten nicht wiederhergestellt werden',
  deleteForever: 'Endgültig löschen',
  deleteNamed: '{name} endgültig löschen',
  selectAll: 'Alle {count} auswählen',
  deletedForever: '{name} endgültig gelöscht',
  deletedManyForever: {
    one: '{count} Asset endgültig gelöscht',
    other: '{count} Assets endgültig gelöscht',
  },
  deleteOneQuestion: 'Dieses Asset endgültig löschen?',
  deleteManyQuestion: {
    one: '{count} Asset endgültig löschen?',
    other: '{count} Assets endgültig löschen?',
  },
  deleteOneFailed: 'Das Asset konnte nicht gelöscht werden',
  deleteManyFailed: 'Nicht alle Assets konnten gelöscht werden',
  deleteOneHint:
    'Alle Versionen des Assets werden gelöscht. Das kann nicht rückgängig gemacht werden.',
  deleteManyHint:
    'Alle Versionen der Assets werden gelöscht. Das kann nicht rückgängig gemacht werden.',
  emptied: 'Papierkorb geleert',
  emptyQuestion: 'Papierkorb leeren?',
  emptyFailed: 'Der Papierkorb konnte nicht geleert werden',
  emptyHint:
    'Alle Assets im Papierkorb werden endgültig gelöscht, auch die auf anderen Seiten und die, die eine Suche nicht zeigt. Das kann nicht rückgängig gemacht werden.',
  name: 'Name',
  size: 'Größe',
  deleted: 'Gelöscht',
  removedAfter: 'Entfernt nach',
  actions: 'Aktionen',
  selectNamed: '{name} auswählen',
  until: '{size} · bis {date}',
}
