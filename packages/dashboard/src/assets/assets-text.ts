import type { Asset } from '@stowage/client'
import { countText } from '../format/count-text.ts'

/** The assets in a message: the name of a single one, otherwise their number. */
export function assetsText(assets: readonly Asset[]): string {
  const [first] = assets
  return assets.length === 1 && first ? first.filename : countText(assets.length, 'asset')
}
