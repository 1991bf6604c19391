/** Without what is undefined: a query says only what is asked for. */
export function omitUndefined<Some extends object>(
  some: Some,
): { [Name in keyof Some]?: Exclude<Some[Name], undefined> } {
  const entries = Object.entries(some).filter(([, value]) => value !== undefined)
  return Object.fromEntries(entries) as { [Name in keyof Some]?: Exclude<Some[Name], undefined> }
}
