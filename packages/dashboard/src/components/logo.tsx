/** The sign of Stowage. */
export function Mark({ size = 28 }: { size?: number }) {
  return <img src="/icon.svg" alt="" width={size} height={size} />
}
