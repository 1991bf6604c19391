import type { suggestions as English } from '../en/suggestions.ts'
import type { Translation } from '../texts.ts'

export const suggestions: Translation<typeof English> = {
  list: 'Assets und ihre Produkte',
  hint: 'Prüfen Sie die Produkte und ordnen Sie dann alle auf einmal zu. Die Eingabetaste übernimmt eine Zeile und geht zur nächsten.',
  attach: { one: '{count} Asset zuordnen', other: '{count} Assets zuordnen' },
  include: '{name} zuordnen',
  productOf: 'Produkte von {name}',
  reasons: {
    sku: 'Die SKU steht im Namen',
    title: 'Der Titel steht im Namen',
    similar: 'Ähnlicher Titel: bitte prüfen',
  },
  chosen: 'Ausgewählt',
  none: 'Kein Vorschlag: suchen Sie ein Produkt',
}
