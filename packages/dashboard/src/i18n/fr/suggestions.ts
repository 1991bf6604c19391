import type { suggestions as English } from '../en/suggestions.ts'
import type { Translation } from '../texts.ts'

export const suggestions: Translation<typeof English> = {
  list: 'Ressources et leurs produits',
  hint: 'Vérifiez les produits, puis associez tout en une fois. Entrée accepte une ligne et passe à la suivante.',
  attach: {
    one: 'Associer {count} ressource',
    many: 'Associer {count} de ressources',
    other: 'Associer {count} ressources',
  },
  include: 'Associer {name}',
  productOf: 'Produits de {name}',
  reasons: {
    sku: 'Le SKU est dans le nom',
    title: 'Le titre est dans le nom',
    similar: 'Titre similaire : à vérifier',
  },
  chosen: 'Choisi',
  none: 'Aucune suggestion : cherchez un produit',
}
