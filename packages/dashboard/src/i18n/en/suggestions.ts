import { texts } from '../texts.ts'

export const suggestions = texts('suggestions', {
  list: 'Assets and their products',
  hint: 'Check the products, then attach all at once. Enter accepts a row and moves to the next one.',
  attach: { one: 'Attach {count} asset', other: 'Attach {count} assets' },
  include: 'Attach {name}',
  productOf: 'Products of {name}',
  reasons: {
    sku: 'The SKU is in the name',
    title: 'The title is in the name',
    similar: 'Similar title: check it',
  },
  chosen: 'Chosen',
  none: 'No suggestion: search for a product',
})
