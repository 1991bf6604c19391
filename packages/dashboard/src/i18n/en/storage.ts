import { texts } from '../texts.ts'

export const storage = texts('storage', {
  title: 'Storage',
  plan: 'Plan',
  byType: 'By type',
  largest: 'Largest files',
  stored: 'Stored',
  reserved: 'Reserved by uploads',
  inTrash: 'In the trash',
  available: 'Available',
  used: 'of {size} used ({share})',
  versionsCount: 'Older versions count as stored.',
  trashCounts:
    'The {trash} counts as available: uploads that need the storage remove its oldest files.',
  exceeded: 'Storage limit exceeded',
  exceededHint:
    'Your files stay available, but you cannot upload new ones until you delete files or the operator of the service upgrades the plan.',
  assetsOf: '{assets} of at most {limit} assets. Unfinished uploads count, and the trash does not.',
  assetsExceeded: 'The plan allows no more assets',
  almostFull: 'Storage is almost full',
  almostFullHint:
    'Delete files that you no longer need, or ask the operator of the service to upgrade the plan.',
  type: 'Type',
  assets: 'Assets',
  size: 'Size',
  share: 'Share',
  noAssets: 'No assets yet.',
  noFiles: 'No files yet.',
  types: {
    video: 'Video',
    audio: 'Audio',
    image: 'Images',
    document: 'Documents',
    archive: 'Archives',
    otherFiles: 'Other files',
    link: 'URLs',
  },
})
