/** `2026-11-17 04:30`, in UTC as in the API. Empty if there is no timestamp. */
export function formatMinute(timestamp = ''): string {
  return timestamp.slice(0, 16).replace('T', ' ')
}
