import { createCipheriv } from 'node:crypto'

/** The algorithm of a part's digest: `gmac` for new parts, `xxh3` for parts of earlier versions. */
export type DigestKind = 'xxh3' | 'gmac'

export interface PartDigest {
  update(bytes: Uint8Array): void
  /** Returns the 16 bytes of the digest. */
  end(): Uint8Array
}

/** Not secret: the digest detects damage, it does not authenticate. */
const GMAC_KEY = Buffer.from('stowage part key')
const GMAC_IV = Buffer.from('stowage part')

/**
 * AES-GCM with the data as additional authenticated data: nothing is encrypted. OpenSSL uses the
 * processor's instructions for it.
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

/** The digest for checking a stored part. */
export async function openDigest(kind: DigestKind): Promise<PartDigest> {
  if (kind === 'gmac') return openGmac()
  // Loaded only for parts of earlier versions, as the package is large.
  const { createXXHash128 } = await import('hash-wasm')
  const hasher = await createXXHash128()
  return {
    update: (bytes) => void hasher.update(bytes),
    end: () => hasher.digest('binary'),
  }
}
