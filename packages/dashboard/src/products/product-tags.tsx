import { Link } from 'wouter'
import { countText } from '../format/count-text.ts'
import { productsUrl } from './product-query.ts'
import classes from './product-tags.module.css'

interface Props {
  tags: readonly string[]
  /** Shows at most this many tags, in one line. */
  max?: number
}

/** Every tag links to the products that have it. */
export function ProductTags({ tags, max }: Props) {
  const shown = tags.slice(0, max)
  const more = tags.slice(shown.length)
  return (
    <div className={classes.tags} data-single-line={max !== undefined || undefined}>
      {shown.map((tag) => (
        <Link key={tag} href={productsUrl({ tag })} className={classes.tag} title={tag} data-chip>
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
