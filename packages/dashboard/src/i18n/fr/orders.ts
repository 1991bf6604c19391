import type { orders as English } from '../en/orders.ts'
import type { Translation } from '../texts.ts'

export const orders: Translation<typeof English> = {
  title: 'Commandes',
  searchLabel: 'Rechercher des commandes',
  searchHint: 'Numéro, nom, e-mail, référence ou note',
  sort: 'Tri',
  sorts: {
    '-created_at': 'Les plus récentes d’abord',
    created_at: 'Les plus anciennes d’abord',
    '-ordered_at': 'Date de commande décroissante',
    ordered_at: 'Date de commande croissante',
    order_number: 'Numéro croissant',
    '-order_number': 'Numéro décroissant',
  },
  status: 'État',
  allStatuses: 'Toutes',
  statuses: {
    active: 'Active',
    held: 'En attente',
    expired: 'Expirée',
    revoked: 'Révoquée',
  },
  order: 'Commande',
  buyer: 'Acheteur',
  downloads: 'Téléchargements',
  ordered: 'Commandée le',
  unnamed: 'Commande sans numéro',
  perFile: '{count} · limite de {limit} par fichier',
  pages: 'Pages des commandes',
  loadFailed: 'Impossible de charger les commandes',
  noMatch: 'Aucune commande correspondante',
  none: 'Aucune commande pour l’instant',
  noneHint:
    'Une commande est ce qu’un acheteur peut télécharger. Votre boutique crée les commandes avec {call}.',
}
