import type { suggestions as English } from '../en/suggestions.ts'
import type { Translation } from '../texts.ts'

export const suggestions: Translation<typeof English> = {
  list: 'Recursos y sus productos',
  hint: 'Revise los productos y asocie todos a la vez. Intro acepta una fila y pasa a la siguiente.',
  attach: {
    one: 'Asociar {count} recurso',
    many: 'Asociar {count} de recursos',
    other: 'Asociar {count} recursos',
  },
  include: 'Asociar {name}',
  productOf: 'Productos de {name}',
  reasons: {
    sku: 'El SKU está en el nombre',
    title: 'El título está en el nombre',
    similar: 'Título parecido: revíselo',
  },
  chosen: 'Elegido',
  none: 'Sin sugerencia: busque un producto',
}
