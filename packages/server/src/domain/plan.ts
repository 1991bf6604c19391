/** The bytes that an account’s plan allows, and those in use. */
export interface Usage {
  limit: number
  stored: number
  reserved: number
}

/** Never negative, even if the plan was reduced below the stored bytes. */
export function availableBytes(usage: Usage): number {
  return Math.max(0, usage.limit - usage.stored - usage.reserved)
}
