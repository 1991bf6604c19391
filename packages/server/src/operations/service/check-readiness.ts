import type { Context } from '../context.ts'

export interface Readiness {
  database: boolean
  storage: boolean
}

export async function checkReadiness(context: Context): Promise<Readiness> {
  const { warn } = context

  async function isAvailable(engine: 'database' | 'storage'): Promise<boolean> {
    try {
      await context[engine].check()
      return true
    } catch (error) {
      warn(`the ${engine} is unavailable`, error)
      return false
    }
  }

  const [database, storage] = await Promise.all([isAvailable('database'), isAvailable('storage')])
  return { database, storage }
}
