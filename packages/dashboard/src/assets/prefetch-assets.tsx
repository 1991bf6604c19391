import { usePrefetchQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useClient } from '../session/session.tsx'
import { readAssetQuery } from './asset-query.ts'
import { assetPageOptions } from './use-asset-page.ts'

/** Requests the list of assets before the page around it is rendered, if the list is the first page. */
export function PrefetchAssets() {
  const [isFirstPage] = useState(() => location.pathname === '/')
  return isFirstPage && <Prefetch />
}

function Prefetch() {
  const client = useClient()
  const [query] = useState(() => readAssetQuery(location.search))
  usePrefetchQuery(assetPageOptions(client, query))
  return null
}
