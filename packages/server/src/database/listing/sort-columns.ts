import type { SortKey } from '../../domain/cursor.ts'

/**
 * The columns of each sort order. Each sort order has an index. The ID comes last, so that rows with equal values
 * keep their order.
 */
export const SORT_COLUMNS: Record<SortKey, string[]> = {
  created_at: ['id'],
  filename: ['sort_name', 'id'],
  bytes: ['bytes', 'id'],
}
