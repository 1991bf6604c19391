const STEPS = [
  { unit: 'd', seconds: 86_400 },
  { unit: 'h', seconds: 3_600 },
  { unit: 'min', seconds: 60 },
  { unit: 's', seconds: 1 },
]

/** Rounded up, in one unit below the hour and in two above it. */
export function durationText(seconds: number): string {
  const index = STEPS.findIndex((step) => seconds >= step.seconds)
  const [large, small] = STEPS.slice(index < 0 ? -1 : index)
  if (large === undefined || small === undefined || large.seconds < 3_600) {
    const { unit, seconds: length } = large ?? { unit: 's', seconds: 1 }
    return `${Math.max(1, Math.ceil(seconds / length))} ${unit}`
  }
  const smalls = Math.ceil(seconds / small.seconds)
  const perLarge = large.seconds / small.seconds
  const rest = smalls % perLarge
  const whole = `${Math.floor(smalls / perLarge)} ${large.unit}`
  return rest === 0 ? whole : `${whole} ${rest} ${small.unit}`
}
