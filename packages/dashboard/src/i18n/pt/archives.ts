import type { archives as English } from '../en/archives.ts'
import type { Translation } from '../texts.ts'

export const archives: Translation<typeof English> = {
  download: 'Baixar como ZIP',
  preparing: 'O arquivo ZIP está sendo preparado…',
  failed: 'Não foi possível criar o arquivo ZIP',
  size: '{files}, {size} ({bytes} bytes)',
  links: {
    one: 'Um link é um pequeno arquivo dentro do ZIP, que abre a URL.',
    many: '{count} de links são pequenos arquivos dentro do ZIP, que abrem as URLs.',
    other: '{count} links são pequenos arquivos dentro do ZIP, que abrem as URLs.',
  },
  tooMany: 'Um arquivo ZIP tem no máximo {count} arquivos. Selecione menos.',
  resume: 'O navegador pode retomar o download se for interrompido.',
}
