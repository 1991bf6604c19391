import type { orders as English } from '../en/orders.ts'
import type { Translation } from '../texts.ts'

export const orders: Translation<typeof English> = {
  title: 'Bestellungen',
  searchLabel: 'Bestellungen suchen',
  searchHint: 'Nummer, Name, E-Mail, Referenz oder Notiz',
  sort: 'Sortierung',
  sorts: {
    '-created_at': 'Neueste zuerst',
    created_at: 'Älteste zuerst',
    '-ordered_at': 'Bestelldatum absteigend',
    ordered_at: 'Bestelldatum aufsteigend',
    order_number: 'Nummer aufsteigend',
    '-order_number': 'Nummer absteigend',
  },
  status: 'Status',
  allStatuses: 'Alle',
  statuses: {
    active: 'Aktiv',
    held: 'Angehalten',
    expired: 'Abgelaufen',
    revoked: 'Widerrufen',
  },
  order: 'Bestellung',
  buyer: 'Käufer',
  downloads: 'Downloads',
  ordered: 'Bestellt',
  unnamed: 'Bestellung ohne Nummer',
  perFile: '{count} · Limit {limit} pro Datei',
  pages: 'Seiten der Bestellungen',
  loadFailed: 'Die Bestellungen konnten nicht geladen werden',
  noMatch: 'Keine passenden Bestellungen',
  none: 'Noch keine Bestellungen',
  noneHint:
    'Eine Bestellung ist das, was ein Käufer herunterladen darf. Ihr Shop erstellt Bestellungen mit {call}.',
}
