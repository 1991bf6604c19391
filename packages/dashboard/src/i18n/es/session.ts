import type { session as English } from '../en/session.ts'
import type { Translation } from '../texts.ts'

export const session: Translation<typeof English> = {
  title: 'Iniciar sesión',
  heading: 'Iniciar sesión en Stowage',
  apiKey: 'Clave de API',
  remember: 'Mantener la sesión iniciada 30 días',
  rememberHint: 'Si no, la sesión se cierra al cerrar el navegador o después de 7 días.',
  noKey: '¿Aún no tiene clave? En el servidor, en la carpeta del servicio, ejecute:',
  keyOnce:
    'La clave nueva se muestra una sola vez. Para usar el servicio sin el panel, consulte la {reference}.',
  reference: 'referencia de la API',
  keyHint: 'Clave …{end}',
  ended: 'Su sesión ha terminado. Inicie sesión de nuevo.',
  invalidKey: 'Clave de API no válida.',
  noCookie:
    'El navegador no guardó la sesión. Permita las cookies de esta página y abra el panel en la URL del servicio (STOWAGE_BASE_URL).',
  unreachable: 'No se pudo acceder al servicio.',
  unexpected: 'Respuesta inesperada (HTTP {status}).',
  signOutFailed: 'No se pudo cerrar la sesión',
  showKey: 'Mostrar u ocultar la clave',
}
