import { useMutation, useQueryClient } from '@tanstack/react-query'
import { notify } from '../components/notify.ts'
import { countText } from '../format/count-text.ts'
import { errorText } from '../format/error-text.ts'
import { useClient } from '../session/session.tsx'
import { assetsText } from './assets-text.ts'
import { type Attachment, changeAttachments } from './change-attachments.ts'
import { groupProducts } from './product-groups.ts'

/** Detaches assets from products. The message offers to undo it. */
export function useDetach({ onDone }: { onDone?(): void } = {}) {
  const client = useClient()
  const queries = useQueryClient()
  const undo = async (attachments: readonly Attachment[]) => {
    try {
      await changeAttachments(client, 'attach', attachments)
      notify({ message: 'Attached again' })
    } catch (error) {
      notify({ isError: true, title: 'Could not attach again', message: errorText(error) })
    }
    await queries.invalidateQueries()
  }
  return useMutation({
    mutationFn: (attachments: readonly Attachment[]) =>
      changeAttachments(client, 'detach', attachments),
    onSuccess(_result, attachments) {
      const products = groupProducts(attachments.flatMap((one) => one.products))
      const assets = attachments.map(({ asset }) => asset)
      notify({
        message: `${assetsText(assets)} detached from ${countText(products.length, 'product')}`,
        action: { label: 'Undo', run: () => void undo(attachments) },
      })
      onDone?.()
    },
    onSettled: () => queries.invalidateQueries(),
  })
}
