/** Returns the object without its undefined values. */
export function omitUndefined<Some extends object>(
  some: Some,
): { [Name in keyof Some]?: Exclude<Some[Name], undefined> } {
  const entries = Object.entries(some).filter(([, value]) => value !== undefined)
  return Object.fromEntries(entries) as { [Name in keyof Some]?: Exclude<Some[Name], undefined> }
}
