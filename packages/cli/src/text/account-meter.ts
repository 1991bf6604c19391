interface Usage {
  plan: { storage: number }
  stored: number
  reserved: number
}

const STORED = '█'
const RESERVED = '▒'
const FREE = '░'

/** The plan as a bar: what is stored, what is reserved, what is free; whatever is, is seen. */
export function accountMeter({ plan, stored, reserved }: Usage, width: number): string {
  const share = (bytes: number) => {
    if (bytes <= 0) return 0
    return plan.storage <= 0 ? width : Math.max(1, Math.round((bytes / plan.storage) * width))
  }
  const full = Math.min(width, share(stored))
  const waiting = Math.min(width - full, share(reserved))
  return STORED.repeat(full) + RESERVED.repeat(waiting) + FREE.repeat(width - full - waiting)
}
