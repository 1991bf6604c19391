/** How people are spoken to: pure, and without the rest of the service. */

export { durationText } from './domain/duration-text.ts'
export { parseSizeText, sizeText } from './domain/size-text.ts'
export { closestOf, editDistance } from './text/closest.ts'
