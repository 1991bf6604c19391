import { VisuallyHidden } from '@mantine/core'
import type { ProductOption } from './product-options.ts'
import classes from './product-picker.module.css'

/** The variants of a product are indented below it. Screen readers read the name of the product with each. */
export function ProductOptionText({ option }: { option: ProductOption }) {
  const { texts, isNested } = option
  const { product, variant } = texts
  const details = texts.details.join(' · ')
  if (isNested) {
    return (
      <span className={classes.nested} data-step={'step' in option || undefined}>
        <VisuallyHidden>{product} · </VisuallyHidden>
        <bdi dir="auto">{variant}</bdi>
        {details !== '' && <span className={classes.details}> · {details}</span>}
      </span>
    )
  }
  return (
    <span>
      <bdi dir="auto" className={classes.product}>
        {product}
      </bdi>
      {variant !== '' && <span> · {variant}</span>}
      {details !== '' && <span className={classes.details}> · {details}</span>}
    </span>
  )
}
