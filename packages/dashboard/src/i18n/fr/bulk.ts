import type { bulk as English } from '../en/bulk.ts'
import type { Translation } from '../texts.ts'

export const bulk: Translation<typeof English> = {
  running: {
    delete: {
      one: 'Suppression de {count} ressource',
      many: 'Suppression de {count} de ressources',
      other: 'Suppression de {count} ressources',
    },
    restore: {
      one: 'Restauration de {count} ressource',
      many: 'Restauration de {count} de ressources',
      other: 'Restauration de {count} ressources',
    },
    attach: {
      one: 'Association de {count} ressource',
      many: 'Association de {count} de ressources',
      other: 'Association de {count} ressources',
    },
    detach: {
      one: 'Dissociation de {count} ressource',
      many: 'Dissociation de {count} de ressources',
      other: 'Dissociation de {count} ressources',
    },
    tag: {
      one: 'Ajout d’étiquettes à {count} ressource',
      many: 'Ajout d’étiquettes à {count} de ressources',
      other: 'Ajout d’étiquettes à {count} ressources',
    },
    untag: {
      one: 'Retrait d’étiquettes de {count} ressource',
      many: 'Retrait d’étiquettes de {count} de ressources',
      other: 'Retrait d’étiquettes de {count} ressources',
    },
    move: {
      one: 'Déplacement de {count} ressource',
      many: 'Déplacement de {count} de ressources',
      other: 'Déplacement de {count} ressources',
    },
  },
  done: '{done} sur {total}',
  stop: 'Arrêter',
  stopped: {
    one: 'Arrêté après {count} ressource',
    many: 'Arrêté après {count} de ressources',
    other: 'Arrêté après {count} ressources',
  },
  stopFailed: 'Impossible d’arrêter la modification',
  region: 'Modifications en cours',
  kind: 'Modification',
  add: 'Ajouter des étiquettes',
  remove: 'Retirer des étiquettes',
}
