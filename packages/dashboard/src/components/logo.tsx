export function Logo({ size = 28 }: { size?: number }) {
  return <img src="/icon.svg" alt="" width={size} height={size} />
}
