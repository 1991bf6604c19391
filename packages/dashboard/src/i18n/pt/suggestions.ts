import type { suggestions as English } from '../en/suggestions.ts'
import type { Translation } from '../texts.ts'

export const suggestions: Translation<typeof English> = {
  list: 'Ativos e seus produtos',
  hint: 'Confira os produtos e vincule todos de uma vez. Enter aceita uma linha e passa para a próxima.',
  attach: {
    one: 'Vincular {count} ativo',
    many: 'Vincular {count} de ativos',
    other: 'Vincular {count} ativos',
  },
  include: 'Vincular {name}',
  productOf: 'Produtos de {name}',
  reasons: {
    sku: 'O SKU está no nome',
    title: 'O título está no nome',
    similar: 'Título parecido: confira',
  },
  chosen: 'Escolhido',
  none: 'Nenhuma sugestão: busque um produto',
}
