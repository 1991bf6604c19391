import type { ComponentProps } from 'react'
import { Link } from 'wouter'
import { type ListPath, listUrl, RETURN_STATE } from './list-position.ts'

/** A link to a list as the user left it: with its search, order, page and scroll position. */
export function ReturnLink({ list, ...props }: ComponentProps<'a'> & { list: ListPath }) {
  return <Link {...props} href={listUrl(list)} state={RETURN_STATE} />
}
