/** Converts attached rows and groups them by the row that they are attached to. */
export function groupByOwner<Row extends { owner_id: string }, Value>(
  rows: Row[],
  convert: (row: Row) => Value,
): Map<string, Value[]> {
  const groups = Map.groupBy(rows, (row) => row.owner_id)
  return new Map([...groups].map(([id, group]) => [id, group.map(convert)]))
}
