import { type Client, isStowageError, type ProductDetails } from '@stowage/client'
import {
  batchProducts,
  type ComparedProduct,
  compareProducts,
  type LocatedProduct,
  type ProductsFileProblem,
  parseProductsFile,
} from '@stowage/client/products-file'
import { formatSize } from '@stowage/protocol/format'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { type Notice, showNotice } from '../../components/notify.ts'
import { countText } from '../../format/count-text.ts'
import { errorWords } from '../../format/error-text.ts'
import { useClient } from '../../session/session.tsx'
import { FIELD_WORDS } from './field-labels.ts'
import { findExisting } from './find-existing.ts'

export interface Preview {
  fileName: string
  format: 'csv' | 'json'
  compared: ComparedProduct[]
  problems: ProductsFileProblem[]
}

export type Import =
  | { step: 'choosing' }
  | { step: 'reading'; fileName: string }
  | { step: 'failed'; fileName: string; error: unknown; retry(): void }
  | { step: 'looking'; preview: Preview }
  | {
      step: 'sending'
      preview: Preview
      done: number
      /** What stopped it; sending goes on behind what is done. */
      failure?: { error: unknown; problems: ProductsFileProblem[] }
    }
  | { step: 'done'; preview: Preview }

/** Whoever chooses a film by mistake is told so, rather than that it is read. */
const LARGEST_FILE = 200_000_000

/** Nothing is sent before people have seen what it would do. What they have begun to send goes on when they leave the page. */
export function useImport() {
  const client = useClient()
  const queries = useQueryClient()
  const [state, setState] = useState<Import>({ step: 'choosing' })
  const running = useRef(new AbortController())
  const isHere = useRef(true)
  const isSending = useRef(false)
  useEffect(() => {
    isHere.current = true
    return () => {
      isHere.current = false
      if (!isSending.current) running.current.abort()
    }
  }, [])

  /** Whoever is on another page by now learns of it too. */
  function end(state: Import, notice: Notice): void {
    isSending.current = false
    if (isHere.current) setState(state)
    else showNotice(notice)
  }

  /** Of anything begun later, this is no more. */
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
      if (!signal.aborted) setState({ step: 'looking', preview })
    } catch (error) {
      const retry = () => void read(file)
      if (!signal.aborted) setState({ step: 'failed', fileName, error, retry })
    }
  }

  async function send(preview: Preview, from = 0): Promise<void> {
    const signal = begin()
    const wanted = wantedOf(preview)
    let done = from
    isSending.current = true
    setState({ step: 'sending', preview, done })
    for (const batch of batchProducts(wanted.slice(from))) {
      try {
        await client.putProducts(
          batch.map(({ details }) => details),
          { signal },
        )
      } catch (error) {
        const failure = { error, problems: problemsOf(error, batch) }
        if (signal.aborted) return
        const title = `${countText(wanted.length - done, 'product')} not imported`
        const notice = { isFailure: true, title, message: errorWords(error) }
        end({ step: 'sending', preview, done, failure }, notice)
        return
      } finally {
        void queries.invalidateQueries()
      }
      done += batch.length
      if (signal.aborted) return
      setState({ step: 'sending', preview, done })
    }
    const message = `${countText(wanted.length, 'product')} imported`
    end({ step: 'done', preview }, { message })
  }

  function restart(): void {
    begin()
    setState({ step: 'choosing' })
  }

  return { state, read, send, restart }
}

/** What is as the file says already is not sent. */
export function wantedOf({ compared }: Preview): ComparedProduct[] {
  return compared.filter(({ outcome }) => outcome !== 'unchanged')
}

async function readPreview(client: Client, file: File, signal: AbortSignal): Promise<Preview> {
  if (file.size > LARGEST_FILE) {
    const most = formatSize(LARGEST_FILE)
    throw new Error(
      `A file of products has ${most} at the most: this one is ${formatSize(file.size)}.`,
    )
  }
  const bytes = new Uint8Array(await file.arrayBuffer())
  const { format, products, problems } = parseProductsFile(bytes)
  const existing = products.length > 0 ? await findExisting(client, products, signal) : []
  const compared = compareProducts(products, existing)
  return { fileName: file.name, format, compared, problems }
}

function isField(name: string | undefined): name is keyof ProductDetails {
  return name !== undefined && name in FIELD_WORDS
}

/** What the service says of `products.3.name`, by the line where that stands. */
function problemsOf(error: unknown, batch: LocatedProduct[]): ProductsFileProblem[] {
  if (!isStowageError(error, 'invalid')) return []
  return Object.entries(error.errors).flatMap(([place, messages]) => {
    const [, index, field] = /^products\.(\d+)(?:\.(\w+))?/.exec(place) ?? []
    const line = batch[Number(index)]?.line
    if (line === undefined) return []
    const message = messages.join(', ')
    return [{ line, message, ...(isField(field) && { field }) }]
  })
}
