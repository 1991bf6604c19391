import type { Asset, Client, Product, ProductReferences } from '@stowage/client'
import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import pLimit from 'p-limit'
import { useMemo } from 'react'
import { changedBy, queryKeys } from '../query-keys.ts'
import { useClient } from '../session/session.tsx'
import type { Attachment } from './change-assets.ts'
import {
  type ComparedProduct,
  type Suggestion,
  searchesFor,
  suggestProducts,
} from './match-products.ts'
import { attachAssets, useTellAttached } from './use-asset-changes.ts'

/** Up to this many variants are all compared with the files. In a larger shop, the words of each file are searched. */
const MAX_COMPARED_VARIANTS = 3000
const VARIANTS_PER_PAGE = 1000
const MAX_REQUESTS = 4
const MAX_FOUND = 20

interface Suggestions {
  /** By the ID of the asset. Undefined until they are known. */
  data: ReadonlyMap<string, Suggestion> | 'none' | undefined
  error: Error | null
  refetch(): void
}

/** Suggests a product for each of the assets. */
export function useSuggestions(assets: readonly Asset[]): Suggestions {
  const client = useClient()
  const all = useQuery({
    queryKey: queryKeys.allProducts(),
    queryFn: ({ signal }) => readAll(client, signal),
  })
  const names = assets.map(({ filename }) => filename)
  const searched = useQuery({
    queryKey: queryKeys.productsOfNames(names),
    queryFn: ({ signal }) => searchNames(client, names, signal),
    placeholderData: keepPreviousData,
    enabled: all.data === 'incomplete' && names.length > 0,
  })
  const groups = all.data === 'incomplete' ? searched.data : all.data
  const data = useMemo(() => groups && suggestedFor(assets, groups), [assets, groups])
  return {
    data: all.data?.length === 0 ? 'none' : data,
    error: all.error ?? searched.error,
    refetch: () => void (all.error === null ? searched : all).refetch(),
  }
}

function suggestedFor(assets: readonly Asset[], groups: readonly ComparedProduct[]) {
  const found = suggestProducts(assets, groups)
  return new Map(
    assets.flatMap(({ id }, index) => {
      const suggestion = found[index]
      return suggestion === undefined ? [] : [[id, suggestion] as const]
    }),
  )
}

async function readAll(
  client: Client,
  signal: AbortSignal,
): Promise<ComparedProduct[] | 'incomplete'> {
  const variants: Product[] = []
  for (let number = 1; ; number += 1) {
    const { data, meta } = await client.products({ limit: VARIANTS_PER_PAGE, signal }).page(number)
    if (meta.total > MAX_COMPARED_VARIANTS) return 'incomplete'
    variants.push(...data)
    if (data.length < VARIANTS_PER_PAGE || variants.length >= meta.total) break
  }
  return [...Map.groupBy(variants, ({ product_id }) => product_id)].map(([product_id, group]) => ({
    product_id,
    name: group[0]?.name ?? '',
    vendor: group[0]?.vendor ?? '',
    variants: group,
    variants_total: group.length,
  }))
}

/** The products that the words of the names find. */
async function searchNames(
  client: Client,
  names: readonly string[],
  signal: AbortSignal,
): Promise<ComparedProduct[]> {
  const limit = pLimit(MAX_REQUESTS)
  const found = new Map<number, ComparedProduct>()
  const findOne = async (name: string) => {
    for (const search of searchesFor(name)) {
      const { data } = await client.productGroups({ search, limit: MAX_FOUND, signal }).page()
      for (const group of data) found.set(group.product_id, group)
      if (data.length > 0) return
    }
  }
  await Promise.all(names.map((name) => limit(findOne, name)))
  return [...found.values()]
}

export interface ToAttach {
  assets: Asset[]
  products: ProductReferences
}

/** Attaches groups of assets, each to its products. If one fails, the message about the others still offers to undo them. */
export function useAttachEach({ onDone }: { onDone(): void }) {
  const client = useClient()
  const queries = useQueryClient()
  const tell = useTellAttached()
  return useMutation({
    async mutationFn(groups: readonly ToAttach[]) {
      const done: Attachment[] = []
      try {
        for (const group of groups) done.push(...(await attachAssets(client, group)))
      } finally {
        if (done.length > 0) tell(done)
      }
    },
    onSuccess: onDone,
    onSettled: () => queries.invalidateQueries(changedBy('asset.attached')),
  })
}
