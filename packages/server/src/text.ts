/** How people are spoken to: pure, and without the rest of the service. */
export { closestOf, editDistance } from './domain/closest.ts'
export { durationText } from './domain/duration-text.ts'
export { parseSizeText, sizeText } from './domain/size-text.ts'
