import { createCipheriv } from 'node:crypto'

/** How a part's digest was made. New parts get `gmac`; parts of earlier versions have `xxh3`. */
export type DigestKind = 'xxh3' | 'gmac'

export interface PartDigest {
  update(bytes: Uint8Array): void
  /** 16 bytes. Nothing can be added afterwards. */
  end(): Uint8Array
}

/** They are no secret: the digest detects damage, it does not authenticate. */
const GMAC_KEY = Buffer.from('stowage part key')
const GMAC_IV = Buffer.from('stowage part')

/**
 * AES-GCM over data that is authenticated and not encrypted. Processors have instructions for it,
 * and OpenSSL uses them.
 */
export function openGmac(): PartDigest {
  const cipher = createCipheriv('aes-128-gcm', GMAC_KEY, GMAC_IV)
  return {
    update: (bytes) => void cipher.setAAD(bytes),
    end() {
      cipher.final()
      return cipher.getAuthTag()
    },
  }
}

/** To check a stored part with the kind of digest that it was stored with. */
export async function openDigest(kind: DigestKind): Promise<PartDigest> {
  if (kind === 'gmac') return openGmac()
  // Loaded only for parts of earlier versions: it has every hash there is.
  const { createXXHash128 } = await import('hash-wasm')
  const hasher = await createXXHash128()
  return {
    update: (bytes) => void hasher.update(bytes),
    end: () => hasher.digest('binary'),
  }
}
