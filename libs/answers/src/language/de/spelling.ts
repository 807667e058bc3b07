// German: letters, digits and symbols as they are said.
import type { SpellingWords } from '../spelling-words.ts';

export const deSpelling: SpellingWords = {
  symbols: {
    '@': 'at; at zeichen; klammeraffe; klammer affe; affenschwanz; et',
    '.': 'punkt; dot',
    _: 'unterstrich; underscore; tiefstrich; unter strich',
    '-': 'bindestrich; minus; strich; minuszeichen; mittelstrich; binde strich; dash',
    '+': 'plus; pluszeichen',
    '/': 'slash; schragstrich; querstrich; schrag strich',
    ':': 'doppelpunkt; doppel punkt',
    '#': 'raute; hashtag',
    '=': 'gleich; gleichheitszeichen; istgleich',
    '&': 'kaufmannisches und; und zeichen',
    '?': 'fragezeichen',
    '~': 'tilde',
  },
  letters: {
    y: 'ypsilon',
    www: 'dreimal w; drei mal w; drei w; dreifach w; we we we',
    v: 'vau; fau',
    w: 'we; weh',
    z: 'zet; zett',
    j: 'jott; jot',
    q: 'kuh',
  },
  twice: 'doppel; zweimal; doppelt; zwei mal; doppelte; doppeltes',
  thrice: 'dreimal; dreifach; drei mal; trippel',
  zero: 'null',
  as: 'wie; wie in',
  carriers:
    '(meine|unsere|die|mein|unser|das) ((e mail|email|mail) [adresse]|emailadresse|mailadresse|adresse|webseite|website|internetseite|homepage|seite|nummer|telefonnummer|handynummer|mobilnummer|rufnummer|festnetznummer|handy|telefon) (ist|lautet|ware) [die]; (das|es) (ist|ware) [die]; (sie|du) (erreichen|erreichst) (mich|uns) unter [der]; ich bin [erreichbar] unter [der] [nummer]; erreichbar unter [der]; unter [der] [nummer]; (schreiben|schicken) sie [es|das] an; die lautet; also; ja; gerne; ok; okay; hm; ah; bitte; email; e mail; mail; adresse; telefonnummer; nummer; telefon; handynummer; meine nummer; hallo; klar; ja das ist; ja die; ja meine',
  extension: 'durchwahl; nebenstelle; apparat',
  noPart:
    'meine; mein; ist; die; der; das; es; an; senden; schicken; schreiben; bitte; kontakt; oder; und; sie; ich; bin; unter; mit; fur; von; unser; unsere; uns; mich; mir; war; wird; sein; wenn; nur; auf; nicht; adresse; mail; email; haben; habe; erreichen; lautet; zu; aber; nehmen; nimm; gehe; gehen; auch; noch',
};
