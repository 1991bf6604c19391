/** What an account's plan allows and what of it is taken, in bytes. */
export interface Usage {
  limit: number
  stored: number
  reserved: number
}

/** Never negative: a plan may be lowered below what is stored. */
export function availableBytes(usage: Usage): number {
  return Math.max(0, usage.limit - usage.stored - usage.reserved)
}
