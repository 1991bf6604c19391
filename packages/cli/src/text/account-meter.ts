interface Usage {
  plan: { storage: number }
  stored: number
  reserved: number
}

const STORED = '█'
const RESERVED = '▒'
const FREE = '░'

/** The plan as a bar of stored, reserved and free storage. Any amount above zero is visible. */
export function accountMeter({ plan, stored, reserved }: Usage, width: number): string {
  const share = (bytes: number) => {
    if (bytes <= 0) return 0
    return plan.storage <= 0 ? width : Math.max(1, Math.round((bytes / plan.storage) * width))
  }
  const storedWidth = Math.min(width, share(stored))
  const reservedWidth = Math.min(width - storedWidth, share(reserved))
  const freeWidth = width - storedWidth - reservedWidth
  return STORED.repeat(storedWidth) + RESERVED.repeat(reservedWidth) + FREE.repeat(freeWidth)
}
