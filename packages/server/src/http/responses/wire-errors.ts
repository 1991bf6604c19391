import { invalid, type ServiceError } from '../../errors.ts'

/** Operations name fields in camelCase; on the wire, `products.0.variantName` is `products.0.variant_name`. */
export function wireErrors(error: ServiceError): ServiceError {
  const { errors } = error.data
  if (errors === undefined) return error
  const wire = Object.entries(errors).map(([field, problems]) => [wireField(field), problems])
  return invalid(Object.fromEntries(wire))
}

/** Changes only camelCase: `PartNumber` and `ETag` are wire names. */
function wireField(field: string): string {
  return field.replaceAll(/(?<=^|\.)[a-z]+[A-Z]\w*/g, (name) =>
    name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
  )
}
