import {
  type Asset,
  createClient,
  isStowageError,
  type Product,
  type Progress,
  type StowageErrorCode,
} from '@stowage/client'

const stowage = createClient({ baseUrl: 'https://files.example', apiKey: 'stow_…' })

export async function send(file: File, show: (progress: Progress) => void): Promise<string> {
  const upload = stowage.upload(file, { attach: { product_ids: [1] }, onProgress: show })
  upload.pause()
  upload.resume()
  const asset: Asset = await upload
  const status: 'uploading' | 'ready' = asset.status
  const products: Product[] = asset.products ?? []
  const tags: string[] = products.flatMap((product) => product.tags)
  return [status, ...tags].join()
}

export async function total(): Promise<number> {
  let bytes = 0
  for await (const asset of stowage.assets({ attached: false, sort: '-bytes' }))
    bytes += asset.bytes
  const { meta } = await stowage.products().page(2)
  return bytes + meta.total
}

export function codeOf(error: unknown): StowageErrorCode | undefined {
  return isStowageError(error, 'storage_exceeded') ? 'storage_exceeded' : undefined
}

// Wrong uses must not compile. If the types were lost, everything would be `any` and compile.
// @ts-expect-error a size is a string
export const size = async (): Promise<boolean> => (await stowage.asset('id')).size
// @ts-expect-error there is no such order
stowage.assets({ sort: 'color' })
// @ts-expect-error the client for browsers does not accept a path
stowage.upload('./file.zip')
// @ts-expect-error there is no such code
export const code: StowageErrorCode = 'nonsense'
