import { onDemand } from '../components/on-demand.tsx'

const load = () => import('./orders.ts')

export const ShareButton = onDemand(load, 'ShareButton')
export const AssetDownloads = onDemand(load, 'AssetDownloads')
export const BrandingSection = onDemand(load, 'BrandingSection')
