import { Link } from 'wouter'
import { countText } from '../format/count-text.ts'
import { productsAddress } from './product-query.ts'
import classes from './product-tags.module.css'

interface Props {
  tags: readonly string[]
  /** So many at the most, in one line. Left out: all of them. */
  most?: number
}

/** Each leads to the products that have it too. */
export function ProductTags({ tags, most }: Props) {
  const shown = tags.slice(0, most)
  const more = tags.slice(shown.length)
  return (
    <div className={classes.tags} data-line={most !== undefined || undefined}>
      {shown.map((tag) => (
        <Link key={tag} href={productsAddress({ tag })} className={classes.tag} title={tag}>
          <bdi dir="auto">{tag}</bdi>
        </Link>
      ))}
      {more.length > 0 && (
        <span title={more.join('\n')} role="note" aria-label={countText(more.length, 'more tag')}>
          +{more.length}
        </span>
      )}
    </div>
  )
}
