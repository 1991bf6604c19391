import type { storage as English } from '../en/storage.ts'
import type { Translation } from '../texts.ts'

export const storage: Translation<typeof English> = {
  title: 'Armazenamento',
  plan: 'Plano',
  byType: 'Por tipo',
  largest: 'Maiores arquivos',
  stored: 'Armazenado',
  reserved: 'Reservado para envios',
  inTrash: 'Na lixeira',
  available: 'Disponível',
  used: 'de {size} em uso ({share})',
  versionsCount: 'As versões anteriores contam como armazenadas.',
  trashCounts:
    'A {trash} conta como disponível: envios que precisam do espaço removem os arquivos mais antigos dela.',
  exceeded: 'Limite de armazenamento excedido',
  exceededHint:
    'Seus arquivos continuam disponíveis, mas você só poderá enviar outros depois de excluir arquivos ou se o operador do serviço ampliar o plano.',
  assetsOf: '{assets} de no máximo {limit} ativos. Envios não concluídos contam; a lixeira, não.',
  assetsExceeded: 'O plano não permite mais ativos',
  almostFull: 'O armazenamento está quase cheio',
  almostFullHint:
    'Exclua os arquivos de que não precisa mais ou peça ao operador do serviço para ampliar o plano.',
  type: 'Tipo',
  assets: 'Ativos',
  size: 'Tamanho',
  share: 'Parcela',
  noAssets: 'Ainda não há ativos.',
  noFiles: 'Ainda não há arquivos.',
  types: {
    video: 'Vídeos',
    audio: 'Áudio',
    image: 'Imagens',
    document: 'Documentos',
    archive: 'Arquivos compactados',
    otherFiles: 'Outros arquivos',
    link: 'URLs',
  },
}
