import type { Context } from '../context.ts'

export interface Readiness {
  database: boolean
  storage: boolean
}

export async function checkReadiness(context: Context): Promise<Readiness> {
  const { database, storage } = context
  const [databaseAnswers, storageAnswers] = await Promise.all(
    [database, storage].map(async (engine) => {
      try {
        await engine.check()
        return true
      } catch (error) {
        context.warn('an engine does not answer', error)
        return false
      }
    }),
  )
  return { database: databaseAnswers === true, storage: storageAnswers === true }
}
