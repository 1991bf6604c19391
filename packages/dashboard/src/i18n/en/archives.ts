import { texts } from '../texts.ts'

export const archives = texts('archives', {
  download: 'Download as ZIP',
  preparing: 'The archive is being prepared…',
  failed: 'Could not create the archive',
  size: '{files}, {size} ({bytes} bytes)',
  links: {
    one: 'A link is a small file in the archive, which opens the URL.',
    other: '{count} links are small files in the archive, which open the URLs.',
  },
  tooMany: 'An archive has at most {count} files. Select fewer.',
  resume: 'The browser can resume the download if it is interrupted.',
})
