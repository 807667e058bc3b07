// Swedish: letters, digits and symbols as they are said.
import type { SpellingWords } from '../spelling-words.ts';

export const svSpelling: SpellingWords = {
  symbols: {
    '@': 'snabela; snabel a; at; at tecken; kanelbulle',
    '.': 'punkt; dot',
    _: 'understreck; under streck; underscore',
    '-': 'bindestreck; streck; minus; minustecken; mellanstreck; binde streck; dash',
    '+': 'plus; plustecken',
    '/': 'snedstreck; sned streck; slash; framatsnedstreck',
    ':': 'kolon',
    '#': 'fyrkant; hashtag; nummertecken',
    '=': 'likhetstecken; lika med',
    '&': 'och tecken; ampersand',
    '?': 'fragetecken',
    '~': 'tilde',
  },
  letters: {
    www: 'tre w; w w w; trippel w; dubbelve dubbelve dubbelve; vvv',
    w: 'dubbel v; dubbelve; dubbel ve',
    z: 'sata; zata',
  },
  twice: 'dubbel; dubbelt; dubbla; tva ganger',
  thrice: 'trippel; tre ganger',
  zero: 'noll; nolla',
  as: 'som; som i; som i ordet',
  carriers:
    '(min|mitt|var|vart|en|ett) ((e post|mejl|mail|e mail) [adress|adressen]|epost|epostadress|mejladress|mailadress|adress|webbplats|hemsida|sida|nummer|telefonnummer|mobilnummer|telefon|mobil) (ar|lyder) [den|det]; (adressen|numret|telefonnumret|mobilnumret|mejlen|mailen|eposten|hemsidan) ar; (det|den) ar; (ni|du) (nar|kan na|kan ringa|kan mejla) (mig|oss) pa; (ring|mejla|maila) (mig|oss) [pa]; ja; okej; ok; hej; ja det ar; e post; epost; mejl; mail; e mail; adress; nummer; telefonnummer; telefon; mobil; mitt nummer; skriv; skicka [det] till',
  extension: 'anknytning; ankn',
  noPart:
    'min; mitt; mina; ar; den; det; en; ett; till; skicka; skriv; skriva; kontakt; eller; och; ni; du; jag; pa; med; for; var; vart; oss; mig; blir; om; bara; inte; adress; adressen; mejl; mail; epost; har; men; anvand; ga; besok; se; som; na; ring; ringa; nummer; numret; mejla; lyder; tack; i; av',
};
