// Dutch: letters, digits and symbols as they are said.
import type { SpellingWords } from '../spelling-words.ts';

export const nlSpelling: SpellingWords = {
  symbols: {
    '@': 'apenstaartje; apestaartje; at; apenstaart; apestaart; aapenstaartje; et',
    '.': 'punt; dot',
    _: 'underscore; laag streepje; liggend streepje laag; onderstreep; onderstrepingsteken; lage streep; under score; streepje laag',
    '-': 'streepje; min; koppelteken; minteken; liggend streepje; verbindingsstreepje; dash; minus; koppel teken; middenstreepje',
    '+': 'plus; plusteken',
    '/': 'slash; schuine streep; schuin streepje; forward slash; voorwaartse slash',
    ':': 'dubbele punt; dubbelepunt; dubbelpunt',
    '#': 'hekje; hashtag',
    '=': 'is gelijk aan; gelijkteken; isgelijkteken',
    '&': 'en teken; ampersand',
    '?': 'vraagteken',
    '~': 'tilde',
  },
  letters: {
    www: 'drie w; driemaal w; drie keer w; wee wee wee; driedubbel w; triple w',
    y: 'ypsilon; griekse ij; griekse y; i grec',
    w: 'wee',
    z: 'zet',
  },
  twice: 'dubbel; dubbele; tweemaal; twee keer; twee maal',
  thrice: 'driemaal; driedubbel; drie keer; drie maal; trippel; driedubbele; triple',
  zero: 'nul',
  as: 'van; als in; zoals; als; zoals in',
  carriers:
    '(mijn|ons|onze|het|de) ((e mail|email|mail) [adres]|emailadres|mailadres|adres|website|webadres|site|pagina|nummer|telefoonnummer|mobiele nummer|mobiele|mobiel|gsm nummer|gsm|telefoon) (is|luidt) [het]; (het|dat) is [het]; (u kunt|je kunt|jullie kunnen) (mij|me|ons) (bereiken|bellen|mailen) (op|via|onder); (bereikbaar|te bereiken) (op|via|onder); (bel|mail) (me|mij) (op|via); ja; oke; ok; goed; nou; uh; eh; email; e mail; mail; adres; nummer; telefoonnummer; telefoon; mijn nummer; dat is; het is; zeker; natuurlijk; hallo; prima; schrijf maar op; stuur [het] naar',
  extension: 'toestel; toestelnummer; doorkiesnummer',
  noPart:
    'mijn; is; de; het; een; aan; sturen; stuur; schrijven; schrijf; contact; of; en; u; ik; ben; op; met; voor; ons; onze; mij; was; zal; als; alleen; niet; adres; mail; email; heb; maar; gebruik; ga; naar; bezoek; zie; dat; die; bereiken; bellen; bel; via; onder; door; luidt; je; zijn',
};
