import { Dialog } from '../components/dialog.tsx'
import { ProductPicker } from './product-picker.tsx'

interface Props {
  onChoose(productId: number): void
  onClose(): void
}

/** Asks for the product whose assets the list shows. */
export function ChooseProduct({ onChoose, onClose }: Props) {
  return (
    <Dialog isOpen onClose={onClose} title="Show the assets of a product">
      <ProductPicker
        label="Product"
        isWhole
        picked={[]}
        onPick={([choice]) => {
          if (choice === undefined) return
          onChoose(choice.productId)
          onClose()
        }}
      />
    </Dialog>
  )
}
