import { type Client, isStowageError, type Product, type ProductDetails } from '@stowage/client'
import {
  batchProducts,
  type ComparedProduct,
  compareProducts,
  type LocatedProduct,
  type ProductsFileProblem,
  parseProductsFile,
} from '@stowage/client/products-file'
import { useQueryClient } from '@tanstack/react-query'
import pLimit from 'p-limit'
import { useEffect, useRef, useState } from 'react'
import { type Notice, notify } from '../components/notifications.tsx'
import { errorText, sizeText } from '../format.ts'
import { common } from '../i18n/en/common.ts'
import { products as texts } from '../i18n/en/products.ts'
import { fill, plural } from '../i18n/texts.ts'
import { changedBy } from '../query-keys.ts'
import { useClient } from '../session/session.tsx'

export type Import =
  | { step: 'choosing' }
  | { step: 'reading'; fileName: string }
  | { step: 'failed'; fileName: string; error: unknown; retry(): void }
  | { step: 'reviewing'; preview: Preview }
  | {
      step: 'sending'
      preview: Preview
      done: number
      /** Why the import stopped. A retry continues after the first `done` products. */
      failure?: { error: unknown; problems: ProductsFileProblem[] }
    }
  | { step: 'done'; preview: Preview }

/** Rejects large files, such as a video chosen by mistake, before they are read. */
const MAX_FILE_BYTES = 200_000_000

/** Sends nothing before the preview is confirmed. A running import continues when the user leaves the page. */
export function useImport() {
  const client = useClient()
  const queries = useQueryClient()
  const [state, setState] = useState<Import>({ step: 'choosing' })
  const running = useRef(new AbortController())
  const isMounted = useRef(true)
  const isSending = useRef(false)
  useEffect(() => {
    isMounted.current = true
    return () => {
      isMounted.current = false
      if (!isSending.current) running.current.abort()
    }
  }, [])

  /** Shows the result on the page, or as a notification if the user has left the page. */
  function finish(state: Import, notice: Notice): void {
    isSending.current = false
    if (isMounted.current) setState(state)
    else notify(notice)
  }

  /** Aborts the previous operation. */
  function begin(): AbortSignal {
    running.current.abort()
    running.current = new AbortController()
    return running.current.signal
  }

  async function read(file: File): Promise<void> {
    const signal = begin()
    const fileName = file.name
    setState({ step: 'reading', fileName })
    try {
      const preview = await readPreview(client, file, signal)
      if (!signal.aborted) setState({ step: 'reviewing', preview })
    } catch (error) {
      const retry = () => void read(file)
      if (!signal.aborted) setState({ step: 'failed', fileName, error, retry })
    }
  }

  async function send(preview: Preview, from = 0): Promise<void> {
    const signal = begin()
    const changes = changesOf(preview)
    let done = from
    isSending.current = true
    setState({ step: 'sending', preview, done })
    for (const batch of batchProducts(changes.slice(from))) {
      try {
        await client.putProducts(
          batch.map(({ details }) => details),
          { signal },
        )
      } catch (error) {
        const failure = { error, problems: problemsOf(error, batch) }
        if (signal.aborted) return
        const title = fill(texts.countNotImported, {
          products: productsText(changes.slice(done)),
        })
        const notice = { isError: true, title, message: errorText(error) }
        finish({ step: 'sending', preview, done, failure }, notice)
        return
      } finally {
        void queries.invalidateQueries(changedBy('product.updated'))
      }
      done += batch.length
      if (signal.aborted) return
      setState({ step: 'sending', preview, done })
    }
    finish({ step: 'done', preview }, { message: importedText(preview) })
  }

  function restart(): void {
    begin()
    setState({ step: 'choosing' })
  }

  return { state, read, send, restart }
}

async function readPreview(client: Client, file: File, signal: AbortSignal): Promise<Preview> {
  if (file.size > MAX_FILE_BYTES) {
    const sizes = { size: sizeText(file.size), limit: sizeText(MAX_FILE_BYTES) }
    throw new Error(fill(texts.fileTooLarge, sizes))
  }
  const bytes = new Uint8Array(await file.arrayBuffer())
  const { format, products, problems, ignoredColumns } = parseProductsFile(bytes)
  const existing = products.length > 0 ? await findExisting(client, products, signal) : []
  const compared = compareProducts(products, existing)
  return { fileName: file.name, format, compared, problems, ignoredColumns }
}

function isField(name: string | undefined): name is keyof ProductDetails {
  return name !== undefined && name in texts.fields
}

/** Translates fields of the request, such as `products.3.name`, to lines of the file. */
function problemsOf(error: unknown, batch: LocatedProduct[]): ProductsFileProblem[] {
  if (!isStowageError(error, 'invalid')) return []
  return Object.entries(error.errors).flatMap(([path, messages]) => {
    const [, index, field] = /^products\.(\d+)(?:\.(\w+))?/.exec(path) ?? []
    const line = batch[Number(index)]?.line
    if (line === undefined) return []
    const message = messages.join(', ')
    return [{ line, message, ...(isField(field) && { field }) }]
  })
}

export interface Preview {
  fileName: string
  format: 'csv' | 'json'
  compared: ComparedProduct[]
  problems: ProductsFileProblem[]
  ignoredColumns: string[]
}

/** The products that the import would add or change. */
export function changesOf({ compared }: Preview): ComparedProduct[] {
  return compared.filter(({ outcome }) => outcome !== 'unchanged')
}

/** `10 products`, or `10 products (30 variants)`: the list of products counts the same, and each line is a variant. */
export function productsText(changes: readonly ComparedProduct[]): string {
  const products = plural(common.products, countProducts(changes))
  if (!hasVariants(changes)) return products
  const variants = plural(common.variants, changes.length)
  return fill(texts.productsAndVariants, { products, variants })
}

/** Whether a product has several lines, so that each line is called a variant. */
export function hasVariants(changes: readonly ComparedProduct[]): boolean {
  return countProducts(changes) !== changes.length
}

function countProducts(changes: readonly ComparedProduct[]): number {
  return new Set(changes.map(({ details }) => details.product_id ?? details.handle)).size
}

/** `117 products imported`, or `117 products imported, 3 lines skipped`. */
export function importedText(preview: Preview): string {
  const imported = fill(texts.imported, { products: productsText(changesOf(preview)) })
  const skipped = countSkipped(preview)
  if (skipped === 0) return imported
  const forms = preview.format === 'csv' ? texts.linesSkipped : texts.entriesSkipped
  return plural(forms, skipped, { imported })
}

/** The number of lines that have problems. A line may have several. */
export function countSkipped({ problems }: Pick<Preview, 'problems'>): number {
  return new Set(problems.map(({ line }) => line)).size
}

const PAGE_SIZE = 1000
const MAX_REQUESTS = 6

/**
 * Returns at least the stored products that the file may change. Loads the products with the IDs or SKUs in the file, or all
 * products of the account, whichever takes fewer requests.
 */
async function findExisting(
  client: Client,
  products: LocatedProduct[],
  signal: AbortSignal,
): Promise<Product[]> {
  const limit = pLimit(MAX_REQUESTS)
  const loadPage = (number: number) => client.products({ limit: PAGE_SIZE, signal }).page(number)
  const first = await loadPage(1)
  const keys = new Map(products.map(({ details }) => [keyOf(details), filterOf(details)]))
  if (first.meta.last_page <= keys.size) {
    const others = Array.from({ length: first.meta.last_page - 1 }, (_, index) => index + 2)
    const pages = await limit.map(others, loadPage)
    return [first, ...pages].flatMap(({ data }) => data)
  }
  const found: Product[] = []
  await limit.map([...keys.values()], async (filter) => {
    const variants = client.products({ ...filter, limit: PAGE_SIZE, signal })
    for await (const variant of variants) found.push(variant)
  })
  return found
}

function keyOf({ product_id, sku, name }: ProductDetails): number | string {
  return product_id ?? `${sku || ''} ${sku ? '' : name}`
}

/** Finds the stored products that may be the one in the file. Without IDs and without a SKU, they are found by the name. */
function filterOf({ product_id, sku, name }: ProductDetails) {
  if (product_id !== undefined) return { product_id }
  return sku ? { sku } : { name }
}
