// Spanish: letters, digits and symbols as they are said.
import type { SpellingWords } from '../spelling-words.ts';

export const esSpelling: SpellingWords = {
  symbols: {
    '@': 'arroba; at; aroba',
    '.': 'punto; dot',
    _: 'guion bajo; underscore; subguion; raya baja; barra baja; guion de abajo; guionbajo; guion abajo',
    '-': 'guion; menos; guion medio; raya; guion alto; signo menos; guion del medio',
    '+': 'mas; signo mas; mas signo',
    '/': 'barra; diagonal; slash; barra inclinada; barra diagonal; eslash',
    ':': 'dos puntos',
    '#': 'almohadilla; numeral; hashtag',
    '=': 'igual; signo igual; es igual',
    '&': 'ampersand; y comercial',
    '?': 'signo de interrogacion; interrogacion',
    '~': 'tilde; virgulilla',
  },
  letters: {
    w: 'doble u; uve doble; doble ve; ve doble; doble v; v doble; u doble',
    www: 'triple w; tres w; tres uve dobles; triple uve doble; triple doble u; triple doble ve; tres doble u; tres doble ve; tres ve dobles',
    y: 'i griega; ye',
    h: 'hache',
    j: 'jota',
    l: 'ele',
    m: 'eme',
    n: 'ene',
    r: 'erre; ere',
    s: 'ese',
    f: 'efe',
    x: 'equis',
    z: 'zeta; ceta',
    v: 'uve; ve corta; ve chica',
    q: 'cu',
    k: 'ka',
    http: 'hache te te pe; h te te pe',
    https: 'hache te te pe ese; h te te pe s',
  },
  twice: 'doble; dos veces',
  thrice: 'triple; tres veces',
  zero: 'cero',
  as: 'de; como; como en; con; como de',
  carriers:
    '(mi|el|nuestro|nuestra|la|su) ((correo|email|e mail|mail) [electronico]|direccion [de correo] [electronico]|pagina [web]|sitio [web]|web|numero [de telefono|de movil|de celular]|telefono|movil|celular|fijo) (es|seria|seria el) [el|la]; (es|seria|seria el) [el|la]; (me puede|puede|me pueden|pueden) (contactar|llamar|escribir|encontrar|contactarme|llamarme|escribirme) (a|al|en); (llameme|escribame|contacteme) (a|al|en); si; vale; ok; claro; bueno; pues; eh; correo; correo electronico; email; direccion; numero; telefono; el numero; mi numero es el; es el; por supuesto; hola; mira; mire; apunte; apunta; tome nota',
  extension: 'extension; interno; anexo',
  noPart:
    'mi; mis; es; el; la; los; las; a; al; enviar; envie; escriba; escribir; contacto; o; y; usted; yo; soy; en; con; para; de; del; nuestro; nosotros; me; era; sera; si; solo; no; direccion; correo; email; tengo; pero; usar; use; ir; vaya; visite; ver; por; que; mande; mandelo; esta; seria',
};
