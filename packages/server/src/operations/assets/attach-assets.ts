import { type AssetsAttachmentOutcome, MAX_BULK_ATTACHMENTS } from '../../database/trash-data.ts'
import type { ProductSelection } from '../../domain/product.ts'
import { invalid } from '../../errors.ts'
import type { AccountContext } from '../context.ts'
import { checkAttachmentOutcome } from './check-attachment-outcome.ts'
import { unknownAssets } from './unknown-assets.ts'

/** Attaches each of the assets to all selected products; all of them or none. */
export async function attachAssets(
  { data }: AccountContext,
  ids: string[],
  selection: ProductSelection,
): Promise<void> {
  check(await data.attachAssets(ids, selection))
}

/** Detaches each of the assets from all selected products; all of them or none. */
export async function detachAssets(
  { data }: AccountContext,
  ids: string[],
  selection: ProductSelection,
): Promise<void> {
  check(await data.detachAssets(ids, selection))
}

function check(result: AssetsAttachmentOutcome): void {
  if (result.outcome === 'assets_not_found') throw unknownAssets(result.unknown)
  if (result.outcome === 'too_many_attachments') {
    throw invalid({
      ids: [
        `would change ${result.count} attachments, but one call can change at most ${MAX_BULK_ATTACHMENTS}: send fewer IDs or fewer products`,
      ],
    })
  }
  checkAttachmentOutcome(result)
}
