import { useAccount } from './use-account.ts'

/** Whether deleted assets stay in the trash. True until it is known, and for a service of an earlier version. */
export function useHasTrash(): boolean {
  return useAccount().data?.trash_for !== 0
}
